import SkyrosDisk
import SkyrosLog

/// Undo and redo of one actor's edits, for the menu of an app.
///
///     let undo = UndoStack(store, actor: "ann")
///     try store.write(by: "ann", because: "rename") { tx in … }
///     undo.undoName                                   // "rename"
///     try undo.undo()
///     try undo.redo()
///
/// Writes do not go through it: it reads the store's log. Each event of the actor is a step, and so
/// survives a relaunch. Events with one correlation are one step, see ``group(_:_:)``. Updates of
/// the same fields of the same record that follow each other quickly are one step, too. A new edit
/// of the actor clears the steps to redo.
///
/// Edits of others are never undone. Where they have changed the same records since, `undo()`
/// throws `.conflict`, and the app chooses a resolution, as for `Store.undo`.
///
/// All methods may be called from any thread. A stack reads the events that were written since the
/// last call. In SwiftUI, read it again after each event:
///
///     .task { for try await _ in store.changes() { canUndo = undo.canUndo } }
public final class UndoStack: Sendable {
    /// The limits of a stack.
    public struct Options: Hashable, Sendable {
        /// Updates of the same fields of one record within this time after the one before are one
        /// step. Zero: each is a step. Default: one second.
        public var typingInterval = Duration.seconds(1)
        /// The number of steps that can be undone; older ones are dropped. Default: 100.
        public var stepsMax = 100
        /// How far back the log is read, in events of all actors; a group that has begun before is
        /// read as a whole. Default: 10,000.
        public var eventsMax = 10_000

        /// The default limits.
        public init() {}

        var typingMicroseconds: Int64 {
            let (seconds, attoseconds) = typingInterval.components
            let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
            if overflows { return seconds < 0 ? -1 : .max }
            return whole.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
        }
    }

    /// What is known of the log.
    private struct Memory: Sendable {
        var steps: UndoSteps
        /// The last event that was read.
        var last = SequenceNumber.zero
        /// The log; nil if none was read yet.
        var session: StoreSession?
    }

    /// The store.
    public let store: Store
    /// The actor whose edits are undone.
    public let actor: String
    /// The limits.
    public let options: Options
    private let memory: Locked<Memory>

    /// A stack of the edits of `actor`. Reads nothing yet.
    public init(_ store: Store, actor: String, options: Options = Options()) {
        self.store = store
        self.actor = actor
        self.options = options
        memory = Locked(Memory(steps: UndoSteps(options)))
    }

    // MARK: Steps

    /// The steps that can be undone, the next one first.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    /// - Complexity: O(events since the last call), at most ``Options/eventsMax``.
    public var undoSteps: [UndoStep] { get throws { try steps().undo.reversed() } }

    /// The steps that can be redone, the next one first.
    ///
    /// - Throws: and complexity: as ``undoSteps``.
    public var redoSteps: [UndoStep] { get throws { try steps().redo.reversed() } }

    /// Whether there is a step to undo. If the log cannot be read, the last known answer.
    public var canUndo: Bool { known.undo.last != nil }

    /// Whether there is a step to redo. If the log cannot be read, the last known answer.
    public var canRedo: Bool { known.redo.last != nil }

    /// The name of the step that ``undo(because:metadata:resolving:durability:)`` takes back.
    public var undoName: String? { known.undo.last?.name }

    /// The name of the step that ``redo(because:metadata:resolving:durability:)`` brings back.
    public var redoName: String? { known.redo.last?.name }

    private var known: UndoSteps {
        (try? steps()) ?? memory.withLock { $0.steps }
    }

    /// The steps after an event; nil for the newest.
    private func steps(after event: SequenceNumber? = nil) throws -> UndoSteps {
        let session = store.session
        let reader = HistoryReader(log: session.engine, empty: session.empty)
        // What cannot be read yet is read by a later call.
        let last = min(event ?? store.sequence, reader.last)
        return try memory.withLock { memory in
            if memory.session !== session {
                memory = Memory(steps: UndoSteps(options), session: session)
            }
            let first = EventReader(session.engine).first
            memory.steps.drop(before: first)
            guard last > memory.last else { return memory.steps }
            let earliest = max(last.advanced(by: 1 - max(1, options.eventsMax)), first)
            let isGap = memory.last < earliest.advanced(by: -1)
            var steps = memory.steps
            if isGap {
                let floor = try session.engine.floor.map { try FloorState($0) }
                steps = UndoSteps(options, cut: floor?.correlations ?? [])
            }
            let selection = EventSelection(reader: reader, index: session.history)
            let events = try selection.events(
                by: actor, from: isGap ? earliest : memory.last.next, through: last)
            for event in events {
                if isGap, let correlation = event.metadata.correlation, !steps.knows(correlation) {
                    // A group may have begun before.
                    let earlier = try selection.events(
                        by: actor, withCorrelation: correlation, from: first,
                        through: earliest.advanced(by: -1))
                    // What was taken back since is no part of it.
                    let undone = try selection.undone(
                        by: actor, from: earlier.first?.sequence ?? earliest,
                        through: event.sequence)
                    for event in earlier where !undone.cover(event.sequence) { steps.add(event) }
                }
                steps.add(event)
            }
            (memory.steps, memory.last) = (steps, last)
            return steps
        }
    }

    // MARK: Undoing

    /// Takes the last step back, by a new event of the actor.
    ///
    ///     do {
    ///         try undo.undo()
    ///     } catch let error as StoreError where error.code == .conflict {
    ///         ask(about: error.undoConflicts)         // then undo.undo(resolving: .skip)
    ///     }
    ///
    /// - Parameters:
    ///   - reason: why. Default: `undo: ` and the name of the step.
    ///   - metadata: more about the undo.
    ///   - resolution: what to do about records that others have changed since.
    ///   - durability: how durable the event is on return. Default: `Options.durability`.
    /// - Throws: `StoreError` with `.nothingToUndo` if there is no step; what `Store.undo` throws.
    ///   Nothing was written then, and the step stays.
    @discardableResult
    public func undo(
        because reason: String? = nil, metadata: Metadata = Metadata(),
        resolving resolution: UndoResolution = .refuse, durability: Durability? = nil
    ) throws -> UndoResult {
        try take(
            .undo, resolution,
            UndoRequest(reason: reason, metadata: metadata, durability: durability))
    }

    /// Brings back what the last undo took back, by a new event of the actor.
    ///
    /// Parameters and errors are those of ``undo(because:metadata:resolving:durability:)``.
    @discardableResult
    public func redo(
        because reason: String? = nil, metadata: Metadata = Metadata(),
        resolving resolution: UndoResolution = .refuse, durability: Durability? = nil
    ) throws -> UndoResult {
        try take(
            .redo, resolution,
            UndoRequest(reason: reason, metadata: metadata, durability: durability))
    }

    /// What the next undo would do.
    ///
    /// - Throws: `StoreError` with `.nothingToUndo`; what `Store.undoPlan` throws.
    public func undoPlan(resolving resolution: UndoResolution = .refuse) throws -> UndoPlan {
        try store.undoPlan(of: .events(next(.undo).events), resolving: resolution)
    }

    /// What the next redo would do.
    ///
    /// - Throws: as ``undoPlan(resolving:)``.
    public func redoPlan(resolving resolution: UndoResolution = .refuse) throws -> UndoPlan {
        try store.undoPlan(of: .events(next(.redo).events), resolving: resolution)
    }

    private func next(_ kind: UndoEvents.Step) throws -> UndoStep {
        if let step = try steps().next(kind) { return step }
        throw StoreError(
            .nothingToUndo, "there is nothing to \(kind.rawValue) for \"\(actor)\"")
    }

    private func take(
        _ kind: UndoEvents.Step, _ resolution: UndoResolution, _ request: UndoRequest
    ) throws -> UndoResult {
        while true {
            let step = try next(kind)
            var request = request
            request.actor = actor
            request.stepName = step.name
            request.reason =
                request.reason ?? request.metadata.reason ?? "\(kind.rawValue): \(step.name)"
            do {
                return try store.undo(
                    .events(step.events), resolution, request, step: kind
                ) { state in
                    let next = try self.steps(after: state.sequence).next(kind)
                    if next != step { throw OtherStep() }
                }
            } catch is OtherStep {
                // The actor has written meanwhile: that is the last step now.
                continue
            }
        }
    }
}

/// Ends the write block of a step that is not the last one any more.
private struct OtherStep: Error {}

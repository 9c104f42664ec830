import SkyrosDisk

/// The steps that an actor can undo and redo, made of the actor's events in their order.
///
/// A pure function of these events: it is the same in each process that reads the log.
struct UndoSteps: Sendable {
    /// The last one is undone first.
    private(set) var undo: [UndoStep] = []
    /// The last one is redone first.
    private(set) var redo: [UndoStep] = []
    /// Whether the last event was an edit, to which typing may add.
    private var isTyping = false
    /// The correlations of steps that were dropped, in UTF-8. What else they get is no whole step.
    private var dropped: Set<[UInt8]> = []
    private let options: UndoStack.Options

    /// - Parameter cut: the correlations of events of which the log does not keep all.
    init(_ options: UndoStack.Options, cut: some Sequence<String> = []) {
        self.options = options
        dropped = Set(cut.map { Array($0.utf8) })
    }

    /// The next step to undo or to redo.
    func next(_ kind: UndoEvents.Step) -> UndoStep? {
        switch kind {
        case .undo: undo.last
        case .redo: redo.last
        }
    }

    /// Adds the next event of the actor.
    mutating func add(_ event: Event) {
        defer { drop(max(0, undo.count - max(0, options.stepsMax))) }
        if let taken = event.undo, let kind = taken.step { return move(event, taken.ranges, kind) }
        guard !event.changes.isEmpty else { return }
        redo = []
        defer { isTyping = true }
        let step = UndoStep(event, isEdit: true)
        if let correlation = step.correlation {
            if dropped.contains(correlation) { return }
            if let place = undo.lastIndex(where: { $0.correlation == correlation }) {
                var group = undo.remove(at: place)
                group.add(event)
                return undo.append(group)
            }
        }
        if isTyping, let last = undo.indices.last, continues(undo[last], step) {
            undo[last].add(event)
        } else {
            undo.append(step)
        }
    }

    /// Whether there is a step with this correlation, or was one.
    func knows(_ correlation: String) -> Bool {
        let bytes = Array(correlation.utf8)
        return dropped.contains(bytes) || undo.contains { $0.correlation == bytes }
    }

    /// Drops the steps with events that the log does not keep any more.
    mutating func drop(before first: SequenceNumber) {
        let isKept = { (step: UndoStep) in step.events.allSatisfy { $0 >= first } }
        dropped.formUnion(undo.filter { !isKept($0) }.compactMap(\.correlation))
        undo.removeAll { !isKept($0) }
        redo.removeAll { !isKept($0) }
    }

    /// Drops the oldest steps.
    private mutating func drop(_ count: Int) {
        dropped.formUnion(undo.prefix(count).compactMap(\.correlation))
        undo.removeFirst(count)
    }

    /// Whether a step is more of the same typing.
    private func continues(_ last: UndoStep, _ step: UndoStep) -> Bool {
        let (pause, overflows) = step.time.microseconds
            .subtractingReportingOverflow(last.time.microseconds)
        return step.typing != nil && step.typing == last.typing
            && step.name.isSameName(as: last.name)
            && last.correlation == nil && step.correlation == nil
            && !overflows && pause <= options.typingMicroseconds
    }

    /// Takes note of a step that was undone or redone by `event`.
    private mutating func move(
        _ event: Event, _ ranges: [ClosedRange<SequenceNumber>], _ kind: UndoEvents.Step
    ) {
        isTyping = false
        let isTaken = { (step: UndoStep) in
            step.events.allSatisfy(ranges.cover)
        }
        let name: String?
        switch kind {
        case .undo:
            name = undo.last(where: isTaken)?.name
            undo.removeAll(where: isTaken)
        case .redo:
            name = redo.last(where: isTaken)?.name
            redo.removeAll(where: isTaken)
        }
        // What changed nothing cannot be taken back.
        guard !event.changes.isEmpty else { return }
        let step = UndoStep(event, named: name, isEdit: false)
        if kind == .undo { redo.append(step) } else { undo.append(step) }
    }
}

extension [ClosedRange<SequenceNumber>] {
    /// Whether one of ascending ranges contains an event. O(log n).
    func cover(_ event: SequenceNumber) -> Bool {
        let place = partitioningIndex { $0.upperBound >= event }
        return place < endIndex && self[place].contains(event)
    }
}

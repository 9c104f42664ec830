import SkyrosLog

/// One pass over the log that builds the values of some projections.
///
/// - Note: `@unchecked` because one thread uses it at a time: that of the rebuild, and then the
///   one that holds the writer lock.
final class ProjectionRebuild: @unchecked Sendable {
    let builders: [any AnyProjectionBuilder]
    private let reader: HistoryReader
    /// The state after the last event that was read; nil before the first.
    private var state: Snapshot?
    /// The number of events after which the next checkpoint may keep what was built; nil for never.
    private let progressEvents: UInt64?

    private static let attemptsMax = 3

    /// The pass is not wanted any more.
    private struct Unwanted: Error {}

    /// - Parameter base: the state at which all of the builders are; nil to make it.
    init(
        _ builders: [any AnyProjectionBuilder], _ reader: HistoryReader,
        from base: Snapshot? = nil, progressEvents: UInt64? = nil
    ) {
        self.builders = builders
        self.reader = reader
        state = base
        self.progressEvents = progressEvents
    }

    /// The last event that was read; nil before the first.
    var sequence: SequenceNumber? { state?.sequence }

    /// Whether a failed projection needs another pass.
    var needsValues: Bool { builders.contains { $0.needsValue } }

    /// Reads events until the pass is not wanted.
    ///
    /// - Parameters:
    ///   - last: the last event to read.
    ///   - current: a later state, from which an earlier one may be made by taking events back.
    ///   - onProgress: called when the next checkpoint may keep what was built.
    /// - Returns: whether it has reached the last event.
    /// - Complexity: O(events), after those of `HistoryReader.near`, or all up to the first one.
    /// - Throws: `StoreError` if the log is damaged.
    func advance(
        through last: SequenceNumber, from current: () -> Snapshot,
        onProgress: () -> Void = {}, while isWanted: () -> Bool = { true }
    ) throws -> Bool {
        for attempt in 1... {
            do {
                return try read(through: last, from: current, onProgress, isWanted)
            } catch is Unwanted {
                return false
            } catch let error as StoreError
                where error.code == .belowFloor && attempt < Self.attemptsMax
            {
                // What was to be read was pruned meanwhile.
                state = nil
            }
        }
        return false
    }

    private func read(
        through last: SequenceNumber, from current: () -> Snapshot, _ onProgress: () -> Void,
        _ isWanted: () -> Bool
    ) throws -> Bool {
        var state = try state ?? base(from: current, isWanted)
        defer { self.state = state }
        let reader = EventReader(reader.log)
        try reader.forEach(from: state.sequence.next, through: last) { event, chainHash in
            guard isWanted() else { throw Unwanted() }
            let applied = try AppliedEvent(event, chainHash: chainHash, on: &state)
            for builder in builders { builder.apply(applied) }
            if let progressEvents, event.sequence.rawValue.isMultiple(of: progressEvents) {
                for builder in builders { builder.noteProgress() }
                onProgress()
            }
            return true
        }
        return true
    }

    /// The state with which the first of the builders begins.
    private func base(from current: () -> Snapshot, _ isWanted: () -> Bool) throws -> Snapshot {
        let beginning = try reader.beginning()
        let kept = try reader.log.floor.map { try FloorState($0).projections }
        for builder in builders {
            // The events that follow its value may be gone.
            if let sequence = builder.sequence, sequence < beginning.sequence { builder.restart() }
            builder.begin(at: beginning, floor: kept)
        }
        let first = builders.compactMap { $0.sequence }.min() ?? beginning.sequence
        guard first > beginning.sequence else { return beginning }
        let near = try reader.near(first, from: current()) { _ in
            guard isWanted() else { throw Unwanted() }
        }
        if let near { return near }
        var state = try reader.snapshot(asOf: .sequence(first)) { _ in
            guard isWanted() else { throw Unwanted() }
        }
        try state.adoptRecordedSchemas()
        return state
    }

    /// Builds the last values of the projections that have failed.
    ///
    /// - Returns: whether all were built.
    func buildLastValues(
        from current: () -> Snapshot, while isWanted: () -> Bool = { true }
    ) throws -> Bool {
        guard let sequence else { return true }
        for builder in builders where builder.needsValue {
            builder.beginAgain()
            let rebuild = ProjectionRebuild([builder], reader)
            guard try rebuild.advance(through: sequence, from: current, while: isWanted) else {
                return false
            }
        }
        return true
    }
}

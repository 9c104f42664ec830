/// What the events that are to be undone did to each record. It is of the past, so it never
/// changes, and is made before the writer lock is taken.
struct UndonePast: Sendable {
    /// The effect of a range of events that follow each other on a record.
    struct Step: Sendable {
        let before: Table.Shape?
        let after: Table.Shape?
    }

    struct UndoneRecord: Sendable {
        let key: HistoryKey
        /// The beginning of the first range that has changed the record.
        let start: SequenceNumber
        /// The ranges that have changed the record, oldest first; at least one.
        private(set) var steps: [Step]

        init(_ key: HistoryKey, from start: SequenceNumber, _ step: Step) {
            self.key = key
            self.start = start
            steps = [step]
        }

        mutating func append(_ step: Step) { steps.append(step) }

        /// The record before the first of the events.
        var before: Table.Shape? { steps[0].before }

        /// The record after the last of the events.
        var expected: Table.Shape? { steps[steps.count - 1].after }

        /// Whether each range found the record as the one before had left it.
        var isUnbroken: Bool {
            zip(steps, steps.dropFirst()).allSatisfy { $0.after == $1.before }
        }
    }

    /// The events: ascending ranges with gaps between them.
    let ranges: [ClosedRange<SequenceNumber>]
    /// The records by entity and id. A range that leaves a record as it found it has no step.
    let records: [UndoneRecord]
}

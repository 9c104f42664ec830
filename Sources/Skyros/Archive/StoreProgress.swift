/// How far an operation on a whole store is.
///
///     let result = archive.verify { progress in
///         print(progress.step, progress.done, progress.total)
///     }
///
/// An operation takes its steps one after the other, and may leave some out.
public struct StoreProgress: Hashable, Sendable {
    /// A part of an operation.
    public enum Step: String, Hashable, Sendable {
        /// All files of the log are searched for damage; counts bytes.
        case scanning
        /// The checkpoint is loaded; counts records.
        case loading
        /// The columns of the checkpoint are compared with its records; counts records.
        case comparing
        /// Events are read; counts events.
        case reading
        /// What is asked for is looked up; counts events or records.
        case searching
        /// Events are written to a new store; counts events.
        case salvaging
        /// Files are copied; counts bytes.
        case copying
        /// Events are copied to a server, or from one; counts events.
        case sending
        /// Records are written; counts records.
        case writing
        /// The new store is read back; counts events.
        case checking
        /// The digest of the state is computed; counts records.
        case digesting
    }

    /// What is being done.
    public let step: Step
    /// How much of it is done.
    public let done: Int
    /// How much there is to do in this step.
    public let total: Int

    package init(_ step: Step, _ done: Int, of total: Int) {
        self.step = step
        self.done = done
        self.total = total
    }
}

extension StoreProgress {
    /// The events of a log that are done.
    init(_ step: Step, _ done: SequenceNumber, of total: SequenceNumber) {
        self.init(
            step, Int(clamping: done.rawValue), of: Int(clamping: total.rawValue))
    }
}

extension Snapshot {
    /// The digest of the state, with its progress.
    package func digest(_ progress: (StoreProgress) -> Void) throws -> StateDigest {
        let total = recordCount
        return try digest(countingRecords: { progress(StoreProgress(.digesting, $0, of: total)) })
    }
}

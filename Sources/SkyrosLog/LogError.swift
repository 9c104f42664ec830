package import SkyrosDisk

/// An error of a log, and where it is.
package struct LogError: Error, Equatable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        /// A disk operation failed; it damaged nothing.
        case io
        /// The medium is full; the batch was not written.
        case diskFull
        /// A sync failed, or a partial write could not be undone: the log takes no more writes.
        case durabilityLost
        /// Durable bytes are not what was written.
        case corrupt
        case segmentMissing
        /// Two segments, or two batches, belong to different histories.
        case chainBroken
        /// A copy is not of the history that is to be copied to it, or a log does not continue what
        /// was read of it before.
        case otherHistory
        case foreignStore
        case unsupportedFormat
        case limitExceeded
        /// The log was pruned, and does not keep these batches.
        case belowFloor
        /// Another sequence is next than the caller expected.
        case conflict
        /// A server acknowledges what a failure may take away.
        case insecureDurability
        /// A server has no log of a store.
        case noLog
        /// Another node has the turn to write, or may have it; nothing was written.
        case notWriter
        /// The clock of this machine is ahead of that of the server; nothing was written.
        case clockAhead
        /// A server was lost while it wrote: the batches were written, or were not.
        case outcomeUnknown
        /// A server cannot be reached; nothing was written.
        case unavailable
        case closed
        /// The log was suspended, and nothing was changed.
        case suspended
        /// The log's files are being erased, or were.
        case erased
    }

    package let code: Code
    package let message: String
    /// The file concerned, such as that of a segment.
    package let file: DiskPath?
    /// Bytes from the start of that file.
    package let offset: Int?
    /// The batches concerned, as far as known.
    package let sequences: ClosedRange<UInt64>?
    package let cause: DiskError?

    package init(
        _ code: Code, _ message: String, _ segment: SegmentName? = nil, at offset: Int? = nil,
        sequences: ClosedRange<UInt64>? = nil, cause: DiskError? = nil
    ) {
        self.init(
            code, message, in: segment?.path, at: offset, sequences: sequences, cause: cause)
    }

    package init(
        _ code: Code, _ message: String, in file: DiskPath?, at offset: Int? = nil,
        sequences: ClosedRange<UInt64>? = nil, cause: DiskError? = nil
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.sequences = sequences
        self.cause = cause
    }

    /// The error of a log whose store was erased.
    package static var erased: LogError { LogError(.erased, "the store was erased") }

    /// The error of a write in a node that does not have the turn.
    ///
    /// - Parameter writer: the node that has it, if that is known.
    package static func notTheWriter(_ writer: String?) -> LogError {
        LogError(
            .notWriter,
            writer.map { "\($0) writes the store; nothing was written here" }
                ?? "this node does not have the turn to write yet; nothing was written")
    }

    private init(_ other: LogError, at offset: Int?) {
        code = other.code
        message = other.message
        file = other.file
        self.offset = offset
        sequences = other.sequences
        cause = other.cause
    }

    /// The error with an offset in a file, in which a part begins at `start`.
    func moved(by start: Int) -> LogError {
        LogError(self, at: offset.map { $0 + start })
    }

    package init(_ cause: DiskError) {
        let code: Code = cause.isSuspension ? .suspended : cause.isOutOfSpace ? .diskFull : .io
        self.init(code, cause.description, cause: cause)
    }
}

/// Evaluates `body` and turns an error of the disk into one of the log.
func onDisk<R>(_ body: @autoclosure () throws(DiskError) -> R) throws(LogError) -> R {
    try onDisk { () throws(DiskError) in try body() }
}

/// Runs `body` and turns an error of the disk into one of the log.
func onDisk<R>(_ body: () throws(DiskError) -> R) throws(LogError) -> R {
    do throws(DiskError) {
        return try body()
    } catch {
        throw LogError(error)
    }
}

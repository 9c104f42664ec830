package import SkyrosDisk

/// What can go wrong with a log, and where.
package struct LogError: Error, Equatable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        /// A call to the disk failed; nothing was damaged by it.
        case io
        /// The medium is full; the batch was not written.
        case diskFull
        /// A sync failed, or a partial write could not be undone: the log takes no more writes.
        case durabilityLost
        /// Bytes that were durable are not what was written.
        case corrupt
        /// A segment that must have been there is not.
        case segmentMissing
        /// Two segments do not continue each other.
        case chainBroken
        /// The file belongs to another store.
        case foreignStore
        /// A newer version wrote the file.
        case unsupportedFormat
        /// Something is larger than the limit set for it.
        case limitExceeded
        /// The log is not at the sequence that the caller expected.
        case conflict
        /// The log was closed.
        case closed
    }

    package let code: Code
    package let message: String
    /// The segment's file name, where one is concerned.
    package let segment: String?
    /// Bytes from the start of that file.
    package let offset: Int?
    /// The sequences concerned, as far as known.
    package let sequences: ClosedRange<UInt64>?
    package let cause: DiskError?

    package init(
        _ code: Code, _ message: String, _ segment: SegmentName? = nil, at offset: Int? = nil,
        sequences: ClosedRange<UInt64>? = nil, cause: DiskError? = nil
    ) {
        self.code = code
        self.message = message
        self.segment = segment?.description
        self.offset = offset
        self.sequences = sequences
        self.cause = cause
    }

    /// A failed call to the disk.
    package init(_ cause: DiskError) {
        let code: Code = cause.isOutOfSpace ? .diskFull : .io
        self.init(code, cause.description, cause: cause)
    }
}

/// Evaluates `body` and turns an error of the disk into one of the log.
func onDisk<R>(_ body: @autoclosure () throws(DiskError) -> R) throws(LogError) -> R {
    do throws(DiskError) {
        return try body()
    } catch {
        throw LogError(error)
    }
}

/// Runs `body` and turns an error of the disk into one of the log.
func onDisk<R>(_ body: () throws(DiskError) -> R) throws(LogError) -> R {
    do throws(DiskError) {
        return try body()
    } catch {
        throw LogError(error)
    }
}

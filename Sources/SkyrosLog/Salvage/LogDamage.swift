import SkyrosDisk

/// A part of a log that is not as it was written.
package struct LogDamage: Equatable, Sendable {
    package let code: LogError.Code
    package let message: String
    /// The segment; for a missing file, the name that it had.
    package let segment: SegmentName
    /// Bytes from the start of the file; nil if the whole file is concerned.
    package let offset: Int?
    /// The number of the frame in a sealed segment, from 1.
    package let frame: Int?
    /// The batches in the damaged part, as far as known; nil if there are none.
    package let sequences: ClosedRange<UInt64>?
    /// Whether further batches, an unknown number, may have been in the part.
    package let isOpenEnded: Bool
    /// Whether the part is below the durable watermark, so that no crash explains it.
    package let isBelowDurable: Bool
    /// Of a torn tail, the whole batches in it, which an opening cuts off with the rest.
    package internal(set) var wholeBatchCount = 0
    /// Whether the batches can be read all the same.
    package internal(set) var isReadable = false

    init(
        _ code: LogError.Code, _ message: String, _ segment: SegmentName, at offset: Int? = nil,
        frame: Int? = nil, sequences: ClosedRange<UInt64>?, isOpenEnded: Bool = false,
        isBelowDurable: Bool = true
    ) {
        self.code = code
        self.message = message
        self.segment = segment
        self.offset = offset
        self.frame = frame
        self.sequences = sequences
        self.isOpenEnded = isOpenEnded
        self.isBelowDurable = isBelowDurable
    }
}

extension LogError {
    /// Whether bytes are not what was written. Other errors, such as a directory that must not be
    /// read, say nothing about the bytes.
    var isDamage: Bool {
        switch code {
        case .corrupt, .chainBroken, .limitExceeded: true
        case .io: cause?.isUnreadableMedium ?? false
        default: false
        }
    }
}

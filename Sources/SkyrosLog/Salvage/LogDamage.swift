import SkyrosDisk

/// Something in a log that is not as it was written: where it is and which batches stand there.
package struct LogDamage: Equatable, Sendable {
    /// What kind of damage it is.
    package let code: LogError.Code
    /// What is wrong.
    package let message: String
    /// The segment; where its file is missing, the name that it had.
    package let segment: SegmentName
    /// Bytes from the start of the file; nil if the whole file is concerned.
    package let offset: Int?
    /// The frame in a sealed segment, counted from 1.
    package let frame: Int?
    /// The batches that stand in the damaged part, as far as known; nil if it holds none.
    package let sequences: ClosedRange<UInt64>?
    /// Whether later batches may have stood there too, how many nobody knows.
    package let isOpenEnded: Bool
    /// Whether a sync had secured these bytes, so that no crash explains what they are now.
    package let isBelowDurable: Bool
    /// Whether the batches can be read nevertheless.
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
    /// Whether bytes are not what was written. Other failures, such as a directory that may not be
    /// read, say nothing about the bytes.
    var isDamage: Bool {
        switch code {
        case .corrupt, .chainBroken, .limitExceeded: true
        case .io: cause?.isUnreadableMedium ?? false
        default: false
        }
    }
}

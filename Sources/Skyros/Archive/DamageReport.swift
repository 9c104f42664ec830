import SkyrosDisk
import SkyrosLog

/// The damage to a store's log, and what can still be read.
///
///     let archive = try Archive(at: url, reading: .upToDamage)
///     for damage in archive.damage?.damages ?? [] {
///         print(damage.segment, damage.offset ?? 0, damage.sequences)
///     }
///
/// A value: it does not change when the store is repaired.
public struct DamageReport: Hashable, Sendable {
    /// A part of the log that is not as it was written.
    public struct Damage: Hashable, Sendable {
        /// The kind of damage: `.logCorrupt`, `.segmentMissing`, `.chainBroken`,
        /// `.foreignStore` …
        public let code: StoreError.Code
        /// What is wrong, in words.
        public let message: String
        /// The segment's file, relative to the store's directory; for a missing file, its former
        /// name.
        public let segment: String
        /// Bytes from the start of that file; nil if the whole file is concerned.
        public let offset: Int?
        /// The frame of a sealed segment, counted from 1; nil elsewhere.
        public let frame: Int?
        /// The events in the damaged part; nil if there are none.
        public let sequences: ClosedRange<SequenceNumber>?
        /// Whether further events, an unknown number, may have been in the part.
        public let isOpenEnded: Bool
        /// Whether the part is below the durable watermark, so that no crash explains the damage.
        public let isBelowDurable: Bool
        /// Whether the events can be read all the same.
        public let isReadable: Bool
        /// Of a torn tail, the number of whole events in it. Opening the store cuts them off with
        /// the rest, as a power cut may reorder writes.
        public let wholeEventCount: Int
    }

    /// All damage, in the order of the events.
    public let damages: [Damage]
    /// What a crash left of the last write; nil if it left nothing. It was never durable.
    public let tornTail: Damage?
    /// The last event before the first damage.
    public let sequence: SequenceNumber
    /// The events that can be read after the damage.
    public let readableAfterDamage: [ClosedRange<SequenceNumber>]

    /// Whether nothing is damaged.
    public var isEmpty: Bool { damages.isEmpty }
}

extension DamageReport {
    init(_ scan: DamageScan) {
        damages = scan.damages.map { Damage($0) }
        tornTail = scan.tornTail.map { Damage($0) }
        sequence = SequenceNumber(rawValue: scan.head.sequence)
        readableAfterDamage = scan.readableAfterDamage.map { SequenceNumber.range($0) }
    }
}

extension DamageReport.Damage {
    init(_ damage: LogDamage) {
        let error = StoreError(
            LogError(damage.code, damage.message, damage.segment, at: damage.offset))
        code = error.code
        message = damage.message
        segment = damage.segment.path.description
        offset = damage.offset
        frame = damage.frame
        sequences = damage.sequences.map { SequenceNumber.range($0) }
        isOpenEnded = damage.isOpenEnded
        isBelowDurable = damage.isBelowDurable
        isReadable = damage.isReadable
        wholeEventCount = damage.wholeBatchCount
    }

    /// An event that is intact and cannot be decoded.
    init(_ error: StoreError, event: SequenceNumber, segment: String, offset: Int) {
        code = error.code
        message = error.message
        self.segment = segment
        self.offset = offset
        frame = nil
        sequences = event...event
        isOpenEnded = false
        isBelowDurable = true
        isReadable = false
        wholeEventCount = 0
    }
}

extension StoreError {
    /// The damage as an error.
    init(_ damage: DamageReport.Damage) {
        var message = damage.message
        if let frame = damage.frame { message += ", in frame \(frame)" }
        if damage.isOpenEnded { message += "; later events, if any, are lost too" }
        if damage.isReadable, damage.sequences != nil {
            message += "; its events can be read all the same"
        }
        if !damage.isBelowDurable { message += "; above the durable watermark" }
        self.init(
            damage.code, message,
            at: Place(file: damage.segment, offset: damage.offset, sequences: damage.sequences))
    }
}

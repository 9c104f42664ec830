import SkyrosDisk
import SkyrosLog

/// What of a store's log is damaged, and what of it can still be read.
///
///     let archive = try Archive(at: url, reading: .upToDamage)
///     for damage in archive.damage?.damages ?? [] {
///         print(damage.segment, damage.offset ?? 0, damage.sequences)
///     }
///
/// A value: it stays as it is when the store is repaired.
public struct DamageReport: Hashable, Sendable {
    /// One place that is not as it was written.
    public struct Damage: Hashable, Sendable {
        /// What kind of damage it is: `.logCorrupt`, `.segmentMissing`, `.chainBroken`,
        /// `.foreignStore` …
        public let code: StoreError.Code
        /// What is wrong, in words.
        public let message: String
        /// The segment's file, relative to the store's directory; of a missing one, the name that it
        /// would have.
        public let segment: String
        /// Bytes from the start of that file; nil if all of it is concerned.
        public let offset: Int?
        /// The frame of a sealed segment, counted from 1; nil elsewhere.
        public let frame: Int?
        /// The events that stand there; nil if none does.
        public let sequences: ClosedRange<SequenceNumber>?
        /// Whether later events may have stood there too, how many nobody knows.
        public let isOpenEnded: Bool
        /// Whether the place lies below the durable watermark: a sync had secured it, so no crash
        /// explains it.
        public let isBelowDurable: Bool
        /// Whether the events can be read nevertheless.
        public let isReadable: Bool
    }

    /// All damage, in the order of the events.
    public let damages: [Damage]
    /// What a crash left of the last write, if so: no damage, as it was never promised to be kept.
    public let tornTail: Damage?
    /// The last event before the first damage.
    public let sequence: SequenceNumber
    /// The events that can be read behind it.
    public let readableAfterDamage: [ClosedRange<SequenceNumber>]

    /// Whether nothing is damaged.
    public var isEmpty: Bool { damages.isEmpty }
}

extension DamageReport {
    init(_ survey: DamageScan) {
        damages = survey.damages.map { Damage($0) }
        tornTail = survey.tornTail.map { Damage($0) }
        sequence = SequenceNumber(rawValue: survey.head.sequence)
        readableAfterDamage = survey.readableAfterDamage.map { SequenceNumber.range($0) }
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
    }

    /// An event that is as it was written and cannot be understood.
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
    }
}

extension SequenceNumber {
    fileprivate static func range(_ range: ClosedRange<UInt64>) -> ClosedRange<SequenceNumber> {
        SequenceNumber(rawValue: range.lowerBound)...SequenceNumber(rawValue: range.upperBound)
    }
}

extension StoreError {
    /// The damage as an error.
    init(_ damage: DamageReport.Damage) {
        var message = damage.message
        if let frame = damage.frame { message += ", in frame \(frame)" }
        if damage.isOpenEnded { message += "; what followed is lost too, if there was more" }
        if damage.isReadable, damage.sequences != nil {
            message += "; its events can be read nevertheless"
        }
        if !damage.isBelowDurable { message += "; above the durable watermark" }
        self.init(
            damage.code, message,
            at: Place(file: damage.segment, offset: damage.offset, sequences: damage.sequences))
    }
}

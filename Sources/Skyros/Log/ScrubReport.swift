/// How far a store has read its sealed segments again, and the rot that it found.
///
///     let scrub = try Archive(at: url).info().scrub
///     for damage in scrub.damages { print(damage.file, damage.offset ?? 0, damage.sequences) }
///
/// An open store reads all of them within a week of use, so that rot on the medium is found while
/// a backup still has the bytes. See `Store.Options.onError`, which is called for each finding.
public struct ScrubReport: Hashable, Sendable {
    /// A part of a sealed segment that is not as it was written.
    public struct Damage: Hashable, Sendable {
        /// The kind of damage: `.logCorrupt`, `.chainBroken`, `.segmentMissing` …
        public let code: StoreError.Code
        /// What is wrong, in words.
        public let message: String
        /// The segment's file, relative to the store's directory.
        public let file: String
        /// Bytes from the start of that file; nil if the whole file is concerned.
        public let offset: Int?
        /// The events in the damaged part.
        public let sequences: ClosedRange<SequenceNumber>
        /// When it was found.
        public let foundAt: EventTime
    }

    /// The event with which reading continues; nil if all segments were read, or none yet.
    public let position: SequenceNumber?
    /// When all sealed segments had been read last; nil if they never were.
    public let finishedAt: EventTime?
    /// What was found and has not been read well since, in the order of the events.
    public let damages: [Damage]
}

extension ScrubReport {
    init(_ state: ScrubState) {
        position = state.position.map { SequenceNumber(rawValue: $0) }
        finishedAt = state.finishedAt.map { EventTime(microseconds: $0) }
        damages = state.findings.sorted { $0.first < $1.first }.map { finding in
            Damage(
                code: Self.codes.first { $0.name == finding.code } ?? .logCorrupt,
                message: finding.message, file: finding.file, offset: finding.offset,
                sequences: SequenceNumber.range(finding.sequences),
                foundAt: EventTime(microseconds: finding.foundAt))
        }
    }

    private static let codes: [StoreError.Code] = [
        .logCorrupt, .chainBroken, .segmentMissing, .foreignStore, .unsupportedFormat,
        .limitExceeded,
    ]
}

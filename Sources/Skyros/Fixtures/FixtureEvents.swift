import SkyrosLog

/// The events of a fixture: numbered anew, with pseudonyms, and each one applied to the state
/// before it, so that what is written can be read.
struct FixtureEvents: ~Copyable {
    private let scrubber: EventScrubber
    /// Names in the log, which stay also where they are a part of a scrubbed text.
    private let words: [[UInt8]]
    /// The event of the original after which the fixture begins.
    private let start: SequenceNumber
    /// The state after what was written.
    private(set) var state: Snapshot
    private var buffer = CBORWriter()

    /// The actor of the events that insert the records of before.
    static let actor = "skyros.fixture"
    /// The tag with the number that an event had.
    static let tag = "skyros.event"
    /// The records in one event, and their bytes.
    private static let recordsMax = 1_000
    private static let bytesMax = 4 << 20

    /// - Parameters:
    ///   - start: the event of the original after which the fixture begins.
    ///   - empty: the state before the first event of the fixture.
    ///   - words: names in the log, which are in the fixture too.
    init(
        _ scrubber: EventScrubber, replacing start: SequenceNumber, on empty: Snapshot,
        words: [[UInt8]]
    ) {
        self.scrubber = scrubber
        self.start = start
        state = empty
        let reason = Self.reason(after: start)
        self.words = words + (Self.words + [reason]).map { Array($0.utf8) }
    }

    /// What is in events of any log.
    private static let words = [
        actor, tag, "sequence", "changes", "metadata", "correlation",
        "causation", "occurredAt", "inserted", "before", "after", "entity", "cleared", "version",
        "formerVersion", "intent", "result", "reason", "schema", "steps", "fields", "unique",
        "relations", "https://example.invalid/", "key", "tags", "time", "actor", "ids", "name",
        "value",
    ]

    private static func reason(after start: SequenceNumber) -> String {
        "the records after event \(start)"
    }

    /// Writes events that insert the records of a state, and record its shapes.
    ///
    /// Their times are those just before the time of the state.
    mutating func write(recordsOf original: Snapshot, to writer: SalvagedLogWriter) throws {
        var batches: [[(Record, Int)]] = []
        var byteCount = 0
        for entity in original.entities.sortedNames() {
            for row in original.table(entity)?.sortedRows() ?? [] {
                byteCount += row.bytes.count
                let isFull = batches.last.map { $0.count >= Self.recordsMax } ?? true
                if isFull || byteCount > Self.bytesMax {
                    batches.append([])
                    byteCount = row.bytes.count
                }
                let record = Record(
                    entity: entity, id: row.id, fields: Fields(trusted: row.bytes))
                batches[batches.count - 1].append(
                    (try scrubber.scrubbed(record, version: row.version), row.version))
            }
        }
        if batches.isEmpty, !original.schemas.isEmpty { batches.append([]) }
        let time =
            max(original.time.microseconds, .min + Int64(batches.count)) - Int64(batches.count)
        for (index, batch) in batches.enumerated() {
            let event = Event(
                sequence: SequenceNumber(rawValue: UInt64(index + 1)),
                time: EventTime(microseconds: time + Int64(index + 1)),
                metadata: Metadata(actor: Self.actor, reason: Self.reason(after: start)),
                intent: nil, changes: batch.map { .inserted($0.0) },
                versions: batch.map(\.1),
                schemas: index == 0 ? original.schemas : NamedValues())
            try append(event, to: writer)
        }
    }

    /// Writes an event of the original.
    mutating func write(_ event: Event, to writer: SalvagedLogWriter) throws {
        let sequence = SequenceNumber(rawValue: writer.head.sequence + 1)
        let isSame = sequence == event.sequence
        let tags = isSame ? NamedValues() : NamedValues([(Self.tag, "\(event.sequence)")])
        let number = isSame ? [] : [Array("\(event.sequence)".utf8)]
        try append(
            scrubber.scrubbed(event, as: sequence, tags: tags), to: writer, saying: number)
    }

    /// - Parameter number: the one of the original, which the event has in a tag.
    private mutating func append(
        _ event: Event, to writer: SalvagedLogWriter, saying number: [[UInt8]] = []
    ) throws {
        buffer.removeAll(keepingCapacityUpTo: 1 << 20)
        try EventCoding.append(event, to: &buffer)
        let original = try buffer.withUnsafeBytes {
            try scrubber.original(inEvent: $0, except: words + number)
        }
        if let text = original {
            throw StoreError(
                .invalidInput,
                "event \(event.sequence) of the fixture would still have the value \"\(text)\" of "
                    + "a scrubbed field; nothing was written. Scrub the field where it stands, too",
                at: StoreError.Place(sequences: event.sequence...event.sequence))
        }
        try buffer.withUnsafeBytes { bytes in
            let chainHash = writer.head.chainHash.advanced(by: XXH64.hash(bytes))
            var unused = DirtyRows(isRecording: false)
            do {
                try Projector.apply(event, chainHash: chainHash, to: &state, marking: &unused)
            } catch let error as StoreError where error.code == .invalidEvent {
                throw StoreError(
                    .invalidInput,
                    "pseudonyms make different records the same in event \(event.sequence) of the "
                        + "fixture; scrub other fields", at: error.place, cause: error.message)
            }
            try writer.append(bytes, time: event.time.microseconds)
        }
    }

    /// What was written, with which the store is compared.
    func report(of writer: SalvagedLogWriter) throws -> SalvageReport {
        SalvageReport(
            firstSequence: 1, sequence: SequenceNumber(rawValue: writer.head.sequence),
            digest: try state.digest(), damages: [], tornTail: nil,
            readableAfterDamage: [])
    }
}

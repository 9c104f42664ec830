import SkyrosLog

@testable import Skyros

/// The decoder of events, and the fold of the events that it accepts.
enum EventFuzzer: Fuzzer {
    static let name = "event"
    static let inputBytesMax = 1_024

    static func seeds() throws -> [[UInt8]] {
        let sample = try record(1)
        var other = sample.fields
        try other.set("text", to: "dreizehn")
        try other.set("uuid", to: nil)
        let edit = try Fields.difference(from: sample.fields.bytes, to: other.bytes)
        let difference = (before: edit?.before ?? [], after: edit?.after ?? [])
        var metadata = Metadata()
        metadata.actor = "alice"
        metadata.reason = "new partner"
        metadata.tags = ["a": "b"]
        var happened = Metadata()
        happened.occurredAt = EventTime(microseconds: 1_600_000_000_000_000)
        happened.correlation = "import"
        happened.causation = "boot"
        return [
            bytes([.inserted(sample)], metadata, Intent(name: "open", encoded: [0xF6])),
            bytes([
                .inserted(sample),
                .updated(
                    entity: sample.entity, id: sample.id,
                    before: Fields(trusted: difference.before),
                    after: Fields(trusted: difference.after)),
                .deleted(Record(entity: sample.entity, id: sample.id, fields: other)),
            ]),
            bytes([.inserted(sample), .cleared(entity: sample.entity, count: 1)]),
            bytes([]),
            bytes(
                [], metadata,
                Intent(
                    name: "pay", version: 2, encoded: [1], idBytes: Array(repeating: 7, count: 32),
                    encodedOutput: [0xF5])),
            bytes([.inserted(sample)], happened, Intent(name: "pay", encoded: [1]), key: "order 7"),
        ]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        guard
            let event = try allowing(
                StoreError.self, { try EventCoding.event(from: bytes, expecting: 1) })
        else { return }
        try require(event.sequence == 1, "decoded event \(event.sequence) instead of event 1")
        try require(
            EventCoding.byteCount(of: bytes) == bytes.count,
            "bytes after the event, which a sealed segment would take for the next event")
        var writer = CBORWriter()
        try EventCoding.append(event, to: &writer)
        let written = writer.array
        let again = try written.withUnsafeBytes {
            try EventCoding.event(from: $0, expecting: 1)
        }
        var second = CBORWriter()
        try EventCoding.append(again, to: &second)
        try require(second.array == written, "an event has two encodings")
        try fold(event)
    }

    /// Applies the event, and reads the state that results if it fits.
    private static func fold(_ event: Event) throws {
        let chainHash = ChainHash(rawValue: 1)
        for schema in [Schema.untyped, try FuzzSample.schema.get()] {
            var snapshot = Snapshot(schema, beginning: chainHash, hashSeed: 1)
            var dirty = DirtyRows(isRecording: true)
            let folded: Void? = try allowing(StoreError.self) {
                try Projector.apply(event, chainHash: chainHash, to: &snapshot, marking: &dirty)
            }
            guard folded != nil else { continue }
            _ = try snapshot.digest()
            for table in snapshot.tables { try table.checkIndexes() }
            for change in event.changes { _ = change.id?.description }
            _ = try allowing(StoreError.self) {
                try snapshot.all(FuzzSample.self, where: \.text == "zwölf", sortedBy: \.ratio)
            }
        }
    }

    private static func record(_ id: Int) throws -> Record {
        Record(
            entity: FuzzSample.entityName, id: try RecordID(encoding: id),
            fields: Fields(trusted: try CBOREncoder().encode(FuzzSample.filled(id))))
    }

    private static func bytes(
        _ changes: [Change], _ metadata: Metadata = Metadata(), _ intent: Intent? = nil,
        key: String? = nil
    ) -> [UInt8] {
        var writer = CBORWriter()
        EventCoding.appendPlain(
            Event(
                sequence: 1, time: EventTime(microseconds: 1_700_000_000_000_000),
                metadata: metadata, intent: intent, key: key, changes: changes),
            to: &writer)
        return writer.array
    }
}

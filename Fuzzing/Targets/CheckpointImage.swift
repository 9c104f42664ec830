import Foundation
import SkyrosLog
import SkyrosSQLite

@testable import Skyros

/// A checkpoint that the library wrote, and its state.
enum CheckpointImage {
    static let storeID = [UInt8](0..<16)

    /// Three records of the type in the schema, and one of an unknown entity, with values that no
    /// column can hold.
    static let snapshot = Result { () throws in
        var snapshot = try empty()
        var dirty = DirtyRows()
        var changes = try (1...3).map { id in
            Change.inserted(
                Record(
                    entity: FuzzSample.entityName, id: try RecordID(encoding: id),
                    fields: Fields(trusted: try CBOREncoder().encode(FuzzSample.filled(id)))))
        }
        let odd = FieldValue.map([
            "a": .integer(1), "b": .double(-0.0), "c": .text("nul \u{0}"), "d": .null,
            "e": .array([.integer(1 << 70)]),
        ])
        changes.append(
            .inserted(
                Record(
                    entity: "Odd", id: try RecordID(.text("x")),
                    fields: Fields(trusted: try odd.encoded()))))
        let event = Event(
            sequence: 1, time: EventTime(microseconds: 1_700_000_000_000_000),
            metadata: Metadata(), intent: nil, changes: changes)
        try Projector.apply(
            event, chainHash: ChainHash(rawValue: 77), to: &snapshot, marking: &dirty)
        return snapshot
    }

    /// The idempotency key of the event.
    static let keys = [
        KeyedEvent(
            "order 7", Intent(name: "pay", encoded: [1]), at: 1,
            EventTime(microseconds: 1_700_000_000_000_000))
    ]

    /// The state before the first event.
    static func empty() throws -> Snapshot {
        Snapshot(
            try FuzzSample.schema.get(), beginning: ChainHash(rawValue: 1), hashSeed: 1)
    }

    static func fill(_ database: CheckpointDatabase) throws {
        let snapshot = try snapshot.get()
        var dirty = DirtyRows()
        for (index, table) in snapshot.tables.enumerated() {
            table.rows.forEach { row in
                dirty.mark(row, of: .zero, in: table.entity, at: index)
                return true
            }
        }
        let position = CheckpointPosition(
            storeID: [UInt8](repeating: 0, count: CheckpointPosition.storeIDBytes),
            sequence: snapshot.sequence.rawValue, chainHash: snapshot.chainHash.rawValue,
            timeMicroseconds: snapshot.time.microseconds)
        var batch = try Checkpointer.batch(snapshot, dirty)
        batch.keys = { _ in IdempotencyKeys.Changes(bound: .none, events: keys) }
        try database.write(batch, at: position)
    }

    // MARK: As a file

    /// Calls `body` with the path of a new file in a directory that is removed afterwards.
    static func withPath<R>(_ body: (String) throws -> R) throws -> R {
        let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "skyros-fuzzing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory.appending(path: "checkpoint.sqlite").path)
    }

    /// The file's bytes.
    static let file = Result {
        try withPath { path in
            let database = try CheckpointDatabase(path: path)
            try fill(database)
            try database.close()
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        }
    }

    // MARK: Reading

    /// Loads a checkpoint; nil if it is refused or empty.
    ///
    /// - Parameter keys: called with each idempotency key.
    /// - Throws: `FuzzFinding` if the loaded state does not match the checkpoint's digest.
    static func load(
        _ database: CheckpointDatabase, keys: (KeyedEvent) -> Void = { _ in }
    ) throws -> Snapshot? {
        let loaded = try allowing(CheckpointError.self) {
            try CheckpointLoader.load(database, into: empty(), keys: keys)
        }
        guard let loaded, let snapshot = loaded else { return nil }
        let expected = try database.description()?.digest
        let digest = try snapshot.digest()
        try require(
            digest == expected,
            "the digest is \(digest), the checkpoint says \(String(describing: expected))")
        _ = try allowing(StoreError.self) {
            try snapshot.all(FuzzSample.self, where: \.text == "zwölf", sortedBy: \.ratio)
        }
        return snapshot
    }
}

import SkyrosLog
import SkyrosSQLite

@testable import Skyros

/// Edits the rows of a checkpoint in memory as the input describes, optionally with valid digests,
/// and loads it.
enum RowFuzzer: Fuzzer {
    static let name = "rows"
    static let inputBytesMax = 256

    static func seeds() throws -> [[UInt8]] {
        let highest: [UInt8] = [1, 3, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        return [
            [0], [1], highest, [1, 0, 0, 3, 1, 2, 4, 0x78, 0x79, 0, 0],
            [1, 1, 2, 1, 0], [0, 1, 0, 1, 0], [1, 4, 9, 0, 0, 0, 0, 0, 0, 0],
            [1, 5, 0, 3, 4], [1, 0, 0, 2, 1, 4, 5, 0x81, 0xC4, 0x82, 1, 2],
        ]
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws {
        var input = FuzzInput(bytes)
        let isSealed = input.flag()
        let database = try CheckpointDatabase(ConnectionOptions(.memory))
        try CheckpointImage.fill(database)
        guard var description = database.known else {
            throw FuzzFinding("nothing was written")
        }
        while !input.isAtEnd {
            // SQLite or the schema may refuse an edit.
            _ = try allowing(SQLiteError.self) {
                try edit(database.connection, &description, &input, isSealed: isSealed)
            }
        }
        if isSealed { _ = try allowing(SQLiteError.self) { try seal(&description, of: database) } }
        database.forget()
        var keys: [KeyedEvent] = []
        let loaded = try CheckpointImage.load(database) { keys.append($0) }
        guard let snapshot = loaded else { return }
        if isSealed {
            try continueWriting(snapshot, keys, database)
        } else {
            let original = try CheckpointImage.snapshot.get()
            try require(
                try snapshot.digest() == original.digest()
                    && snapshot.sequence == original.sequence && keys == CheckpointImage.keys,
                "rows were loaded that were never written")
        }
    }

    // MARK: Edits

    private static func edit(
        _ connection: Connection, _ description: inout CheckpointDescription,
        _ input: inout FuzzInput,
        isSealed: Bool
    ) throws {
        let kind = input.below(8)
        if kind > 3 && isSealed { return describe(kind, &description, &input) }
        let tables = [
            "FuzzSample", "Odd", "_skyros_keys", "_skyros", "_skyros_entities", "_skyros_columns",
        ]
        let table = tables[input.below(isSealed ? 3 : tables.count)]
        let rowid = Int64(input.byte() % 8)
        let statement: Statement
        switch kind {
        case 1:
            statement = try connection.prepare("DELETE FROM \"\(table)\" WHERE rowid = ?2")
        case 2:
            statement = try connection.prepare(
                "INSERT INTO \"\(table)\" (rowid) SELECT ?1 WHERE ?2 >= 0")
            try statement.bind(integer: Int64(bitPattern: input.long()), at: 1)
        case 3:
            statement = try connection.prepare(
                "UPDATE \"\(table)\" SET rowid = ?1 WHERE rowid = ?2")
            try statement.bind(integer: Int64(bitPattern: input.long()), at: 1)
        default:
            let columns = try connection.prepare("SELECT * FROM \"\(table)\"").columnNames
            let column = columns[input.below(columns.count)]
            statement = try connection.prepare(
                "UPDATE \"\(table)\" SET \(SQLName.quoted(column)) = ?1 WHERE rowid = ?2")
            try bind(&input, to: statement)
        }
        try statement.bind(integer: rowid, at: 2)
        try statement.run()
    }

    private static func bind(_ input: inout FuzzInput, to statement: Statement) throws {
        switch input.below(5) {
        case 0: try statement.bindNull(at: 1)
        case 1: try statement.bind(integer: Int64(bitPattern: input.long()), at: 1)
        case 2: try statement.bind(real: Double(bitPattern: input.long()), at: 1)
        case 3:
            let text = input.bytes(Int(input.byte()))
            try text.withUnsafeBytes { try statement.bind(text: $0, at: 1, .copied) }
        default:
            let blob = input.bytes(Int(input.byte()))
            try blob.withUnsafeBytes { try statement.bind(blob: $0, at: 1, .copied) }
        }
    }

    /// Changes the description of the checkpoint.
    private static func describe(
        _ kind: Int, _ description: inout CheckpointDescription, _ input: inout FuzzInput
    ) {
        let entity = input.below(description.layout.entities.count)
        switch kind {
        case 4: description.position.sequence = input.long()
        case 5:
            let columns = description.layout.entities[entity].columns
            let index = input.below(columns.count)
            let kinds = ColumnKind.allCases
            let changed = TableLayout.Column(
                field: input.flag() ? "id" : columns[index].field, name: columns[index].name,
                kind: kinds[input.below(kinds.count)])
            description.layout.entities[entity].columns[index] = changed
        case 6: description.position.timeMicroseconds = Int64(bitPattern: input.long())
        default:
            let old = description.layout.entities[entity]
            let name = String(decoding: input.bytes(4), as: UTF8.self)
            description.layout.entities[entity] = TableLayout.Entity(
                name: name, table: old.table, columns: old.columns)
        }
    }

    /// Computes sums and digests from the rows, and writes the description again.
    private static func seal(
        _ description: inout CheckpointDescription, of database: CheckpointDatabase
    ) throws {
        let connection = database.connection
        description.keys.digest = try keyDigest(on: connection)
        for index in description.layout.entities.indices {
            let entity = description.layout.entities[index]
            var hasher = StateDigest.RecordHasher(entity: entity.name)
            var digest = TableDigest()
            var sums: [(Int64, Int64)] = []
            try connection.prepare(entity.selectSQL).forEachRow { row in
                let record = row.bytes(at: 4)
                let own = (try? record.ownID) ?? 0..<0
                let id =
                    row.isNull(at: 3)
                    ? UnsafeRawBufferPointer(rebasing: record[own]) : row.bytes(at: 3)
                let state = hasher.hash(id: id, record: record)
                let number = row.integer(at: 0)
                let sequence = UInt64(bitPattern: row.integer(at: 1))
                digest.add(
                    CheckpointRow(number: number, sequence: sequence, id: id, record: record),
                    state)
                sums.append((number, Int64(bitPattern: state.sum0)))
            }
            let table = SQLName.quoted(entity.table)
            for (number, sum) in sums {
                try connection.execute("UPDATE \(table) SET _sum = \(sum) WHERE _row = \(number)")
            }
            description.layout.entities[index].digest = digest
        }
        try connection.execute("DELETE FROM _skyros_columns; DELETE FROM _skyros_entities")
        let sealed = description
        _ = try allowing(CheckpointError.self) {
            try sealed.write(over: TableLayout(), on: connection)
        }
    }

    private static func keyDigest(on connection: Connection) throws -> RowsDigest {
        var digest = RowsDigest()
        let select = "SELECT sequence, time, key, intent FROM _skyros_keys"
        try connection.prepare(select).forEachRow { row in
            let event = KeyedEvent(
                key: ByteString(row.bytes(at: 2)),
                sequence: SequenceNumber(rawValue: UInt64(bitPattern: row.integer(at: 0))),
                time: EventTime(microseconds: row.integer(at: 1)),
                intentHash: row.isNull(at: 3) ? nil : UInt64(bitPattern: row.integer(at: 3)))
            digest.add(event.sum)
        }
        return digest
    }

    // MARK: Continuing

    /// Applies another event to the loaded state, and writes the next checkpoint.
    private static func continueWriting(
        _ loaded: Snapshot, _ keys: [KeyedEvent], _ database: CheckpointDatabase
    ) throws {
        var snapshot = loaded
        var dirty = DirtyRows()
        let id = try RecordID(encoding: 1_000)
        let fields = Fields(trusted: try CBOREncoder().encode(FuzzSample.filled(1_000)))
        let record = Record(entity: FuzzSample.entityName, id: id, fields: fields)
        let event = Event(
            sequence: snapshot.sequence.next, time: EventTime(microseconds: 1),
            metadata: Metadata(), intent: nil, changes: [.inserted(record)])
        let isFolded: Void? = try allowing(StoreError.self) {
            try Projector.apply(
                event, chainHash: ChainHash(rawValue: 2), to: &snapshot, marking: &dirty)
        }
        guard isFolded != nil else { return }
        let next = snapshot
        let isWritten = try allowing(CheckpointError.self) {
            try database.write(
                Checkpointer.batch(next, dirty),
                at: CheckpointPosition(
                    storeID: CheckpointImage.storeID, sequence: next.sequence.rawValue,
                    chainHash: 2, timeMicroseconds: 1))
        }
        guard isWritten != nil else { return }
        var keysAgain: [KeyedEvent] = []
        let again = try CheckpointLoader.load(
            database, into: CheckpointImage.empty(), keys: { keysAgain.append($0) })
        try require(
            try again?.digest() == next.digest() && keysAgain == keys,
            "P7: the checkpoint is not the state written")
    }
}

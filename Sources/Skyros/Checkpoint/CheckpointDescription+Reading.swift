import SkyrosLog
import SkyrosSQLite

extension CheckpointDescription {
    /// Reads the description of a database; nil if the database is empty.
    ///
    /// The file is not trusted. The version is read first, the schema is compared before anything
    /// is read from a table, and no SQL of the file is run. Call it in a transaction, so that all
    /// of it is of one moment.
    ///
    /// - Throws: `foreign`, `newerFormat`, `corrupt`; `SQLiteError`.
    static func read(_ connection: Connection) throws -> CheckpointDescription? {
        let applicationID = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        if applicationID == 0, version == 0,
            try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        {
            return nil
        }
        guard applicationID == TableLayout.applicationID else {
            throw CheckpointError.foreign(applicationID: applicationID)
        }
        guard version == TableLayout.formatVersion else {
            throw versionError(version)
        }
        return try readDescription(connection)
    }

    /// The error for another version in the header. What else the file holds is not read: only that
    /// version knows what it means.
    private static func versionError(_ version: Int64) -> CheckpointError {
        if version < 1 { return .damage("the header says format \(version)") }
        return version > TableLayout.formatVersion
            ? .newerFormat(version: version) : .olderFormat(version: version)
    }

    private static func readDescription(_ connection: Connection) throws -> CheckpointDescription {
        let encoding = try connection.prepare("PRAGMA encoding").single { $0.string(at: 0) }
        guard encoding == "UTF-8" else {
            throw CheckpointError.damage("the encoding of text is not UTF-8")
        }
        let schema = try schema(of: connection)
        for (name, sql) in TableLayout.ownSchema where schema[name] != sql {
            throw CheckpointError.damage("the tables that describe the others are missing")
        }
        return try readTables(connection, schema)
    }

    private static func readTables(
        _ connection: Connection, _ schema: [[UInt8]: [UInt8]]
    ) throws -> CheckpointDescription {
        var (seal, digest, description) = try readPosition(connection)
        description.layout = try readEntities(connection)
        try readColumns(connection, into: &description.layout)
        guard description.layout.digest == digest else {
            throw CheckpointError.damage(
                "the digests of the entities do not add up to that of the whole state")
        }
        guard description.seal == seal else {
            throw CheckpointError.damage("the description does not match its seal")
        }
        guard description.layout.schema == schema else {
            throw CheckpointError.damage("the tables are not those that the description names")
        }
        return description
    }

    /// The SQL of every table by its name.
    private static func schema(of connection: Connection) throws -> [[UInt8]: [UInt8]] {
        var result: [[UInt8]: [UInt8]] = [:]
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
        try connection.prepare(sql).forEachRow { row in
            let name = [UInt8](row.bytes(at: 1))
            let isTable = row.bytes(at: 0).elementsEqual("table".utf8)
            guard isTable, row.bytes(at: 2).elementsEqual(name), result[name] == nil else {
                let type = row.string(at: 0)
                let name = row.string(at: 1)
                throw CheckpointError.damage("there is an unexpected \(type) named \(name)")
            }
            result[name] = [UInt8](row.bytes(at: 3))
        }
        return result
    }

    private static func readPosition(
        _ connection: Connection
    ) throws -> (
        seal: UInt64, digest: StateDigest, description: CheckpointDescription
    ) {
        let select = try connection.prepare("SELECT * FROM _skyros")
        defer { select.reset() }
        guard try select.step(), try select.checkedInteger(at: 0) == 1,
            try select.checkedInteger(at: 1) == TableLayout.formatVersion,
            let storeID = HexText.bytes(
                try select.checkedText(at: 2), count: CheckpointPosition.storeIDBytes),
            let sequence = UInt64(exactly: try select.checkedInteger(at: 3)),
            let chainHash = HexText.number(try select.checkedText(at: 4)),
            let digest = StateDigest(description: try select.checkedText(at: 6)),
            let keys = try readKeys(select),
            let projections = try readProjections(select),
            let seal = HexText.number(try select.checkedText(at: 14)),
            let schemas = try? NamedValues<EntitySchema>(
                UnsafeRawBufferPointer(select.bytes(at: 7)), levelsAround: 0)
        else { throw CheckpointError.damage("_skyros has no valid row") }
        let position = CheckpointPosition(
            storeID: storeID, sequence: sequence, chainHash: chainHash,
            timeMicroseconds: try select.checkedInteger(at: 5))
        guard keys.bound.sequence.rawValue <= sequence else {
            throw CheckpointError.damage("it lacks the keys of later events than its own")
        }
        guard try !select.step() else {
            throw CheckpointError.damage("_skyros has more than one row")
        }
        let description = CheckpointDescription(
            position: position, schemas: schemas, keys: keys, projections: projections)
        return (seal, digest, description)
    }

    /// The totals of the projections; nil if they are not valid.
    private static func readProjections(
        _ row: Statement
    ) throws(CheckpointError) -> RowsDigest? {
        guard let count = Int(exactly: try row.checkedInteger(at: 12)), count >= 0,
            let content = HexText.number(try row.checkedText(at: 13))
        else { return nil }
        return RowsDigest(count: count, content: content)
    }

    /// The totals of the idempotency keys; nil if they are not valid.
    private static func readKeys(_ row: Statement) throws(CheckpointError) -> StoredKeys? {
        guard let count = Int(exactly: try row.checkedInteger(at: 8)), count >= 0,
            let content = HexText.number(try row.checkedText(at: 9)),
            let sequence = UInt64(exactly: try row.checkedInteger(at: 10))
        else { return nil }
        let time = EventTime(microseconds: try row.checkedInteger(at: 11))
        if sequence == 0, time != .zero { return nil }
        let bound = KeyBound(sequence: SequenceNumber(rawValue: sequence), time: time)
        return StoredKeys(
            digest: RowsDigest(count: count, content: content),
            bound: sequence == 0 ? .none : bound)
    }

    private static func readEntities(_ connection: Connection) throws -> TableLayout {
        var layout = TableLayout()
        var names: Set<[UInt8]> = []
        // No store has as many rows as one table has numbers for; so the sum fits.
        var left = Int(Row.numberLimit)
        let sql = "SELECT * FROM _skyros_entities ORDER BY number"
        try connection.prepare(sql).forEachRow { row in
            var entity = TableLayout.Entity(
                name: try row.checkedText(at: 1), table: try row.checkedText(at: 2))
            guard let rowCount = Int(exactly: try row.checkedInteger(at: 3)),
                0...left ~= rowCount,
                let state = StateDigest(description: try row.checkedText(at: 4)),
                let content = HexText.number(try row.checkedText(at: 5)),
                try row.checkedInteger(at: 0) == Int64(layout.entities.count) + 1,
                names.insert(Array(entity.name.utf8)).inserted, !entity.table.utf8.contains(0)
            else { throw CheckpointError.damage("_skyros_entities has an invalid row") }
            guard try entity.setIndexes(row.checkedText(at: 6)) else {
                throw CheckpointError.damage("_skyros_entities has an invalid list of indexes")
            }
            left -= rowCount
            entity.digest = TableDigest(rowCount: rowCount, state: state, content: content)
            layout.entities.append(entity)
        }
        return layout
    }

    private static func readColumns(
        _ connection: Connection, into layout: inout TableLayout
    ) throws {
        let names = layout.entities.enumerated().map { (Array($0.element.name.utf8), $0.offset) }
        let places = Dictionary(uniqueKeysWithValues: names)
        var fields: Set<[[UInt8]]> = []
        var count: Int64 = 0
        let sql = "SELECT * FROM _skyros_columns ORDER BY number"
        try connection.prepare(sql).forEachRow { row in
            let entity = try row.checkedText(at: 1)
            guard let kind = ColumnKind(rawValue: try row.checkedText(at: 4)) else {
                throw CheckpointError.damage("_skyros_columns has an unknown kind")
            }
            let column = TableLayout.Column(
                field: try row.checkedText(at: 2), name: try row.checkedText(at: 3), kind: kind)
            let isNew = fields.insert([Array(entity.utf8), Array(column.field.utf8)]).inserted
            count += 1
            guard isNew, try row.checkedInteger(at: 0) == count,
                let index = places[Array(entity.utf8)], !column.name.utf8.contains(0),
                layout.entities[index].columns.count < TableLayout.columnCountMax
            else { throw CheckpointError.damage("_skyros_columns has an invalid row") }
            layout.entities[index].columns.append(column)
        }
    }
}

extension Connection {
    /// The integer in the first row of a query without parameters; 0 if there is no row.
    fileprivate func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try prepare(sql).single { $0.integer(at: 0) } ?? 0
    }
}

extension Statement {
    /// A value that must be an integer.
    func checkedInteger(at index: Int32) throws(CheckpointError) -> Int64 {
        guard storageType(at: index) == .integer else {
            throw .damage("\(columnNames[Int(index)]) is no integer")
        }
        return integer(at: index)
    }

    /// A value that must be text in UTF-8.
    func checkedText(at index: Int32) throws(CheckpointError) -> String {
        guard storageType(at: index) == .text,
            let text = String(validating: bytes(at: index), as: UTF8.self)
        else { throw .damage("\(columnNames[Int(index)]) is no text") }
        return text
    }
}

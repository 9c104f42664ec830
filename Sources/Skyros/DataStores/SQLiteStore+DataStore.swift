import SkyrosDisk
import SkyrosSQLite

extension SQLiteStore: DataStore {
    /// The names of the entities that have records.
    public func entityNames() throws -> [String] {
        try withConnection { connection in
            var names: [String] = []
            try connection.prepare("SELECT DISTINCT entity FROM record").forEachRow { row in
                names.append(row.string(at: 0))
            }
            return names
        }
    }

    /// The number of records of an entity. O(n).
    public func count(of entity: String) throws -> Int {
        try withConnection { connection in
            let statement = try connection.prepare("SELECT count(*) FROM record WHERE entity = ?1")
            try statement.bind(string: entity, at: 1)
            return Int(try statement.single { $0.integer(at: 0) } ?? 0)
        }
    }

    /// The record with this id, or nil. O(log n).
    public func record(_ entity: String, _ id: RecordID) throws -> Record? {
        try withConnection { connection in
            let statement = try connection.prepare(
                "SELECT fields FROM record WHERE entity = ?1 AND id = ?2")
            try statement.bind(entity, id)
            let bytes = try statement.single { [UInt8]($0.bytes(at: 0)) }
            return try bytes.map { try Self.record(entity, id, $0) }
        }
    }

    /// Calls `body` with each record of an entity, in the order of the bytes of the ids.
    public func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        // In pages: `body` may read this store, and the connection is free meanwhile.
        var last: RecordID?
        repeat {
            let page = try page(of: entity, after: last)
            for record in page { try body(record) }
            last = page.count < Self.pageRowsMax ? nil : page.last?.id
        } while last != nil
    }

    private static let pageRowsMax = 500

    private func page(of entity: String, after last: RecordID?) throws -> [Record] {
        try withConnection { connection in
            let statement = try connection.prepare(
                """
                SELECT id, fields FROM record WHERE entity = ?1 AND id > ?2
                ORDER BY id LIMIT \(Self.pageRowsMax)
                """)
            try statement.bind(entity, last ?? RecordID(ByteString([])))
            var page: [Record] = []
            try statement.forEachRow { row in
                let id = RecordID(ByteString(row.bytes(at: 0)))
                page.append(try Self.record(entity, id, [UInt8](row.bytes(at: 1))))
            }
            return page
        }
    }

    /// Runs `block` and writes the changes that it returns, in one transaction, which is durable
    /// when this returns. Other processes cannot write meanwhile.
    ///
    /// - Throws: what `block` throws; `StoreError` with `.nestedWrite` in the block of another
    ///   commit, `.alreadyOpen` if another process keeps the file locked, `.diskFull`, `.closed`,
    ///   `.io`.
    public func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        try lock.lock(afterAllJobs: false)
        defer { lock.unlock() }
        // The connection is not kept meanwhile: the block reads by it.
        try withConnection { try $0.execute(TransactionKind.immediate.rawValue) }
        do {
            let changes = try block()
            try withConnection { connection in
                try Self.apply(changes, connection)
                try connection.execute("COMMIT")
            }
        } catch {
            // The first error counts. SQLite may have rolled back already.
            try? withConnection { if $0.isInTransaction { try $0.execute("ROLLBACK") } }
            throw error
        }
    }

    private static func apply(_ changes: [DataChange], _ connection: Connection) throws {
        let put = try connection.prepare("INSERT OR REPLACE INTO record VALUES(?1, ?2, ?3, ?4)")
        let delete = try connection.prepare("DELETE FROM record WHERE entity = ?1 AND id = ?2")
        let clear = try connection.prepare("DELETE FROM record WHERE entity = ?1")
        for change in changes {
            switch change {
            case .put(let record):
                try put.bind(record.entity, record.id)
                try record.fields.bytes.withUnsafeBytes { try put.bind(blob: $0, at: 3, .copied) }
                try put.bind(string: try FieldValue.map(record.fields.values).jsonText(), at: 4)
                try put.run()
            case .delete(let entity, let id):
                try delete.bind(entity, id)
                try delete.run()
            case .deleteAll(let entity):
                try clear.bind(string: entity, at: 1)
                try clear.run()
            }
        }
    }

    /// Does nothing: each commit was durable when it returned.
    public func flush() throws {
        try withConnection { _ in }
    }

    /// Closes the file. A second call does nothing; other calls throw `.closed`.
    ///
    /// - Throws: `StoreError` with `.nestedWrite` in the block of a commit.
    public func close() throws {
        try lock.lock(afterAllJobs: false)
        defer { lock.unlock() }
        try connection.withLock { connection in
            try Self.wrapping { try connection.value?.close() }
            connection.value = nil
        }
    }

    /// A record as it was read from the file, whose bytes are checked.
    private static func record(
        _ entity: String, _ id: RecordID, _ bytes: [UInt8]
    ) throws -> Record {
        try StoreError.wrapping(
            .notDecodable, "the fields of \(entity) \(id) in the database are damaged",
            at: StoreError.Place(entity: entity, ids: [id])
        ) { Record(entity: entity, id: id, fields: try Fields(canonical: bytes)) }
    }
}

extension Statement {
    /// Binds the key of a record to the first two parameters.
    fileprivate func bind(_ entity: String, _ id: RecordID) throws {
        try bind(string: entity, at: 1)
        try id.bytes.withUnsafeBytes { try bind(blob: $0, at: 2, .copied) }
    }
}

import SkyrosLog
import SkyrosSQLite

/// The content of the tables in which a checkpoint describes itself.
///
/// The seal covers all of it: a hash in the same row as the position, so that damage to a number,
/// a name or a kind is detected like damage to a row.
struct CheckpointDescription: Hashable, Sendable {
    var layout = TableLayout()
    var position: CheckpointPosition
    /// What the log has recorded of the entities' shapes.
    var schemas = NamedValues<EntitySchema>()
    /// The totals of the idempotency keys.
    var keys = StoredKeys()
    /// The totals of the projections.
    var projections = RowsDigest()

    /// The state digest over all rows.
    var digest: StateDigest { layout.digest }

    /// The XXH64 under seed 0 of the description in canonical CBOR.
    var seal: UInt64 {
        var writer = CBORWriter(capacity: 4096)
        writer.appendArrayHead(10)
        writer.append(TableLayout.formatVersion)
        writer.append(bytes: position.storeID)
        writer.append(position.sequence)
        writer.append(position.chainHash)
        writer.append(position.timeMicroseconds)
        writer.append(text: layout.digest.description)
        writer.append(bytes: schemas.encoded)
        writer.appendArrayHead(4)
        writer.append(Int64(keys.digest.count))
        writer.append(keys.digest.content)
        writer.append(keys.bound.sequence.rawValue)
        writer.append(keys.boundTime)
        writer.appendArrayHead(2)
        writer.append(Int64(projections.count))
        writer.append(projections.content)
        writer.appendArrayHead(layout.entities.count)
        for entity in layout.entities { Self.append(entity, to: &writer) }
        return writer.withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }

    private static func append(_ entity: TableLayout.Entity, to writer: inout CBORWriter) {
        writer.appendArrayHead(7)
        writer.append(text: entity.name)
        writer.append(text: entity.table)
        writer.append(Int64(entity.digest.rowCount))
        writer.append(text: entity.digest.state.description)
        writer.append(entity.digest.content)
        writer.appendArrayHead(entity.columns.count)
        for column in entity.columns {
            writer.appendArrayHead(3)
            writer.append(text: column.field)
            writer.append(text: column.name)
            writer.append(text: column.kind.rawValue)
        }
        writer.append(text: entity.indexText)
    }
}

extension CheckpointDescription {
    /// Turns an empty database into a checkpoint without rows. Call it in a transaction.
    static func create(on connection: Connection) throws(SQLiteError) {
        try connection.execute("PRAGMA application_id=\(TableLayout.applicationID)")
        try connection.execute("PRAGMA user_version=\(TableLayout.formatVersion)")
        try connection.execute(TableLayout.metaTable)
        try connection.execute(TableLayout.entityTable)
        try connection.execute(TableLayout.columnTable)
        try connection.execute(TableLayout.keyTable)
        try connection.execute(TableLayout.projectionTable)
    }

    /// Writes the differences from `old`, which is the description in the file. Call it in a
    /// transaction.
    func write(over old: TableLayout, on connection: Connection) throws {
        try writeEntities(over: old, on: connection)
        try writeColumns(over: old, on: connection)
        try writeKinds(over: old, on: connection)
        guard let sequence = Int64(exactly: position.sequence) else {
            throw CheckpointError.limitExceeded("the sequence number \(position.sequence)")
        }
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO _skyros VALUES "
                + "(1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")
        try insert.bind(integer: TableLayout.formatVersion, at: 1)
        try insert.bind(string: position.storeID.hexDigits, at: 2)
        try insert.bind(integer: sequence, at: 3)
        try insert.bind(string: position.chainHash.digits(16, radix: 16), at: 4)
        try insert.bind(integer: position.timeMicroseconds, at: 5)
        try insert.bind(string: layout.digest.description, at: 6)
        try schemas.encoded.withUnsafeBytes { try insert.bind(blob: $0, at: 7, .copied) }
        try insert.bind(integer: Int64(keys.digest.count), at: 8)
        try insert.bind(string: keys.digest.content.digits(16, radix: 16), at: 9)
        try insert.bind(integer: Int64(bitPattern: keys.bound.sequence.rawValue), at: 10)
        try insert.bind(integer: keys.boundTime, at: 11)
        try insert.bind(integer: Int64(projections.count), at: 12)
        try insert.bind(string: projections.content.digits(16, radix: 16), at: 13)
        try insert.bind(string: seal.digits(16, radix: 16), at: 14)
        try insert.run()
    }

    private func writeEntities(
        over old: TableLayout, on connection: Connection
    ) throws(SQLiteError) {
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO _skyros_entities VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        for (index, entity) in layout.entities.enumerated() {
            if index < old.entities.count, old.entities[index].digest == entity.digest,
                old.entities[index].indexes == entity.indexes
            {
                continue
            }
            try insert.bind(integer: Int64(index) + 1, at: 1)
            try insert.bind(string: entity.name, at: 2)
            try insert.bind(string: entity.table, at: 3)
            try insert.bind(integer: Int64(entity.digest.rowCount), at: 4)
            try insert.bind(string: entity.digest.state.description, at: 5)
            try insert.bind(string: entity.digest.content.digits(16, radix: 16), at: 6)
            try insert.bind(string: entity.indexText, at: 7)
            try insert.run()
        }
    }

    private func writeColumns(
        over old: TableLayout, on connection: Connection
    ) throws(SQLiteError) {
        let insert = try connection.prepare(
            "INSERT INTO _skyros_columns VALUES (?1, ?2, ?3, ?4, ?5)")
        var number = Int64(old.columnCount)
        for (index, entity) in layout.entities.enumerated() {
            let known = index < old.entities.count ? old.entities[index].columns.count : 0
            for column in entity.columns.dropFirst(known) {
                number += 1
                try insert.bind(integer: number, at: 1)
                try insert.bind(string: entity.name, at: 2)
                try insert.bind(string: column.field, at: 3)
                try insert.bind(string: column.name, at: 4)
                try insert.bind(string: column.kind.rawValue, at: 5)
                try insert.run()
            }
        }
    }
}

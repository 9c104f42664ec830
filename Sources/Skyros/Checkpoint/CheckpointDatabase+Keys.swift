import SkyrosSQLite

// The idempotency keys of a checkpoint: a row for each event that has one.

extension CheckpointDatabase {
    /// Calls `body` with every event of a key, in the order of their sequences.
    ///
    /// - Throws: `corrupt` if they are not those that were written, and what `body` throws.
    func loadKeys(
        of description: CheckpointDescription, _ body: (KeyedEvent) throws -> Void
    ) throws {
        let (keys, last) = (description.keys, description.position.sequence)
        var found = RowsDigest()
        let select = try connection.prepare(Self.selectKeys + " ORDER BY sequence")
        try select.forEachRow { row in
            let event = try Self.event(row)
            guard event.sequence > keys.bound.sequence, event.sequence.rawValue <= last else {
                throw CheckpointError.damage(
                    "the key of event \(event.sequence) is outside of what it has keys of")
            }
            found.add(event.sum)
            try body(event)
        }
        guard found == keys.digest else {
            throw CheckpointError.damage("the digest of the idempotency keys does not match")
        }
    }

    /// Writes the keys that are new, and deletes those that are too old; returns the new totals.
    /// Call it in a transaction. Runs no statement if nothing changes.
    func apply(keysOf batch: CheckpointBatch) throws -> StoredKeys {
        var keys = known?.keys ?? StoredKeys()
        if batch.replacesAll, known != nil {
            try connection.execute("DELETE FROM _skyros_keys")
            keys = StoredKeys()
        }
        let last = known.map { SequenceNumber(rawValue: $0.position.sequence) }
        let range = batch.replacesAll ? nil : last.map { (keys.bound, $0) }
        guard let changes = batch.keys(range) else { return keys }
        if changes.bound.sequence > keys.bound.sequence, keys.digest.count > 0 {
            try delete(through: changes.bound.sequence, &keys.digest)
        }
        for event in changes.events { try insert(event, &keys.digest) }
        keys.bound = changes.bound
        return keys
    }

    private func delete(
        through last: SequenceNumber, _ digest: inout RowsDigest
    ) throws {
        let select = try connection.prepare(Self.selectKeys + " WHERE sequence <= ?1")
        try select.bind(integer: Int64(bitPattern: last.rawValue), at: 1)
        try select.forEachRow { row in digest.remove(try Self.event(row).sum) }
        let delete = try connection.prepare("DELETE FROM _skyros_keys WHERE sequence <= ?1")
        try delete.bind(integer: Int64(bitPattern: last.rawValue), at: 1)
        try delete.run()
    }

    private func insert(_ event: KeyedEvent, _ digest: inout RowsDigest) throws {
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO _skyros_keys VALUES (?1, ?2, ?3, ?4)")
        try insert.bind(integer: Int64(bitPattern: event.sequence.rawValue), at: 1)
        try insert.bind(integer: event.time.microseconds, at: 2)
        try event.key.withUnsafeBytes { try insert.bind(text: $0, at: 3, .copied) }
        if let hash = event.intentHash {
            try insert.bind(integer: Int64(bitPattern: hash), at: 4)
        } else {
            try insert.bindNull(at: 4)
        }
        try insert.run()
        digest.add(event.sum)
    }

    private static let selectKeys = "SELECT sequence, time, key, intent FROM _skyros_keys"

    private static func event(_ row: Statement) throws(CheckpointError) -> KeyedEvent {
        let sequence = UInt64(bitPattern: try row.checkedInteger(at: 0))
        let time = EventTime(microseconds: try row.checkedInteger(at: 1))
        let key = try row.checkedText(at: 2)
        let hash = row.isNull(at: 3) ? nil : UInt64(bitPattern: try row.checkedInteger(at: 3))
        return KeyedEvent(
            key: KeyedEvent.bytes(of: key), sequence: SequenceNumber(rawValue: sequence),
            time: time, intentHash: hash)
    }
}

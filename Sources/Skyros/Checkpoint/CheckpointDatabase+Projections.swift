import SkyrosSQLite

// The projections of a checkpoint: a row for each name, also of those that this process does not
// have.

extension CheckpointDatabase {
    /// Calls `body` with every projection, in the order in which they were first written.
    ///
    /// - Throws: `corrupt` if they are not those that were written, and what `body` throws.
    func loadProjections(
        of description: CheckpointDescription, _ body: (StoredProjection) throws -> Void
    ) throws {
        var found = RowsDigest()
        let select = try connection.prepare(
            "SELECT name, version, sequence, value, failure_kind, failed_at, failure, sum "
                + "FROM _skyros_projections ORDER BY number")
        try select.forEachRow { row in
            let projection = try Self.projection(row)
            let sum = UInt64(bitPattern: try row.checkedInteger(at: 7))
            guard projection.sum == sum,
                projection.sequence.rawValue <= description.position.sequence
            else {
                throw CheckpointError.damage(
                    "the projection \(projection.name) is not the one that was written")
            }
            found.add(sum)
            try body(projection)
        }
        guard found == description.projections else {
            throw CheckpointError.damage("the digest of the projections does not match")
        }
    }

    /// Writes the new values of projections; returns the new totals. Call it in a transaction.
    /// Runs no statement if nothing changes.
    ///
    /// A value of an earlier event than the stored one is left out: two checkpoints may be written
    /// in another order than their values were taken. So is one of a later event than the position.
    func apply(
        projectionsOf batch: CheckpointBatch, at position: CheckpointPosition
    ) throws -> RowsDigest {
        var digest = known?.projections ?? RowsDigest()
        if batch.replacesAll, known != nil {
            try connection.execute("DELETE FROM _skyros_projections")
            digest = RowsDigest()
        }
        for projection in batch.projections
        where projection.sequence.rawValue <= position.sequence {
            let old = try stored(projection.name)
            if let old, old.version == projection.version, projection.value != nil,
                old.sequence > projection.sequence
            {
                continue
            }
            if let old { digest.remove(old.sum) }
            let sum = projection.sum
            try insert(projection, sum, number: old?.number)
            digest.add(sum)
        }
        return digest
    }

    /// What is stored of a projection.
    private struct Row {
        let number: Int64
        let sum: UInt64
        let version: Int
        let sequence: SequenceNumber
    }

    /// The row of a projection; nil if there is none.
    private func stored(_ name: String) throws -> Row? {
        let select = try connection.prepare(
            "SELECT number, sum, version, sequence FROM _skyros_projections WHERE name = ?1")
        try select.bind(string: name, at: 1)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return Row(
            number: try select.checkedInteger(at: 0),
            sum: UInt64(bitPattern: try select.checkedInteger(at: 1)),
            version: Int(clamping: try select.checkedInteger(at: 2)),
            sequence: SequenceNumber(
                rawValue: UInt64(bitPattern: try select.checkedInteger(at: 3))))
    }

    private func insert(_ projection: StoredProjection, _ sum: UInt64, number: Int64?) throws {
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO _skyros_projections VALUES "
                + "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        if let number {
            try insert.bind(integer: number, at: 1)
        } else {
            try insert.bindNull(at: 1)
        }
        try insert.bind(string: projection.name, at: 2)
        try insert.bind(integer: Int64(projection.version), at: 3)
        try insert.bind(integer: Int64(bitPattern: projection.sequence.rawValue), at: 4)
        if let value = projection.value {
            try value.withUnsafeBytes { try insert.bind(blob: $0, at: 5, .copied) }
        } else {
            try insert.bindNull(at: 5)
        }
        if let failure = projection.failure {
            try insert.bind(integer: failure.kind.rawValue, at: 6)
            try insert.bind(integer: Int64(bitPattern: failure.sequence.rawValue), at: 7)
            try insert.bind(string: failure.message, at: 8)
        } else {
            for column in Int32(6)...8 { try insert.bindNull(at: column) }
        }
        try insert.bind(integer: Int64(bitPattern: sum), at: 9)
        try insert.run()
    }

    private static func projection(_ row: Statement) throws(CheckpointError) -> StoredProjection {
        var failure: ProjectionFailure?
        if !row.isNull(at: 4) {
            guard let kind = ProjectionFailure.Kind(rawValue: try row.checkedInteger(at: 4)) else {
                throw .damage("a projection has failed in an unknown way")
            }
            failure = ProjectionFailure(
                kind,
                at: SequenceNumber(rawValue: UInt64(bitPattern: try row.checkedInteger(at: 5))),
                try row.checkedText(at: 6))
        }
        guard let version = Int(exactly: try row.checkedInteger(at: 1)) else {
            throw .damage("a projection has an invalid version")
        }
        return StoredProjection(
            name: try row.checkedText(at: 0), version: version,
            sequence: SequenceNumber(rawValue: UInt64(bitPattern: try row.checkedInteger(at: 2))),
            value: row.isNull(at: 3) ? nil : [UInt8](row.bytes(at: 3)), failure: failure)
    }
}

import SkyrosSQLite

extension CheckpointDatabase {
    /// Calls `body` with every row, entity by entity, in ascending order of their numbers.
    ///
    /// The typed columns are not read. Each record is checked against its sum, and after the last
    /// row of a table the table's totals are compared. If they are wrong the call throws, and the
    /// caller must discard the rows.
    ///
    /// - Parameters:
    ///   - keyBody: called with every event of an idempotency key, in the order of their sequences;
    ///     checked in the same way.
    ///   - projectionBody: the same for the projections, in the order of their first writes.
    /// - Returns: the checkpoint's description; nil if nothing was ever written.
    /// - Complexity: O(size of the records).
    /// - Throws: `corrupt` with entity and row if known, `unreadable`, and what `body` throws.
    @discardableResult
    func load(
        keys keyBody: (KeyedEvent) throws -> Void = { _ in },
        projections projectionBody: (StoredProjection) throws -> Void = { _ in },
        _ body: (_ entity: String, _ row: CheckpointRow) throws -> Void
    ) throws -> CheckpointDescription? {
        try reading { description in
            for entity in description?.layout.entities ?? [] {
                let select = try connection.prepare(entity.selectSQL)
                try load(entity, select) { row in try body(entity.name, row) }
            }
            if let description {
                try loadKeys(of: description, keyBody)
                try loadProjections(of: description, projectionBody)
            }
            return description
        }
    }

    /// The projections, in the order in which they were first written.
    ///
    /// - Throws: as `load`.
    func projections() throws -> [StoredProjection] {
        try reading { description in
            var projections: [StoredProjection] = []
            if let description {
                try loadProjections(of: description) { projections.append($0) }
            }
            return projections
        }
    }

    /// The first typed column that differs from the record of its row; nil if none does. O(size of
    /// the file).
    ///
    /// Opening a store does not read the typed columns, so it does not notice changes to them.
    ///
    /// - Parameter progress: called with the number of rows read.
    /// - Throws: as `load`.
    func firstWrongColumn(progress: (Int) -> Void = { _ in }) throws -> WrongColumn? {
        var count = 0
        return try reading { description in
            for entity in description?.layout.entities ?? [] {
                let plan = ColumnPlan(entity.columns)
                let select = try connection.prepare(entity.selectAllSQL(plan))
                var found: WrongColumn?
                try load(entity, select) { row in
                    count += 1
                    progress(count)
                    guard found == nil, let index = try plan.firstDifference(of: row, select)
                    else { return }
                    found = WrongColumn(
                        entity: entity.name, id: RecordID(ByteString(row.id)),
                        column: plan.columns[index].name)
                }
                if let found { return found }
            }
            return nil
        }
    }

    /// A typed column that differs from the record of its row.
    struct WrongColumn: Equatable {
        let entity: String
        let id: RecordID
        let column: String
    }

    private func reading<R>(_ body: (CheckpointDescription?) throws -> R) throws -> R {
        do {
            return try connection.transaction(.deferred) {
                try refresh()
                return try body(known)
            }
        } catch let error as SQLiteError {
            throw CheckpointError.reading(error)
        } catch let error as CBORError {
            throw CheckpointError.damage("a record is not canonical: \(error)")
        }
    }

    private func load(
        _ entity: TableLayout.Entity, _ select: Statement, _ body: (CheckpointRow) throws -> Void
    ) throws {
        var reader = RowReader(entity: entity.name)
        var found = TableDigest()
        while try select.step() {
            let (row, state) = try reader.read(select)
            found.add(row, state)
            try body(row)
        }
        try Self.compare(found, with: entity)
    }

    /// Throws unless the rows that were read have the totals of the description.
    private static func compare(
        _ found: TableDigest, with entity: TableLayout.Entity
    ) throws(CheckpointError) {
        let expected = entity.digest
        guard found.rowCount == expected.rowCount else {
            let description = "there are \(found.rowCount) rows and not \(expected.rowCount)"
            throw .damage(description, entity: entity.name)
        }
        guard found.state == expected.state else {
            throw .damage("the state digest does not match", entity: entity.name)
        }
        guard found.content == expected.content else {
            throw .damage("the content digest does not match", entity: entity.name)
        }
    }
}

extension ColumnPlan {
    /// The first column of the current row of `select` that differs from the record.
    fileprivate func firstDifference(of row: CheckpointRow, _ select: Statement) throws -> Int? {
        var first: Int?
        var bytesLeft = ColumnValue.rowBytesMax
        _ = try spread(row.record) { index, value in
            let shown = ColumnValue.shown(
                value, of: row.record, in: columns[index].kind, within: &bytesLeft)
            if first == nil, !shown.equals(select, at: Self.column(index)) { first = index }
        }
        return first
    }
}

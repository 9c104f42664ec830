/// Records without their Swift types in a write block.
extension WriteOverlay {
    /// The position of an entity's table in the overlay. A store that accepts entities without a
    /// type gets a table for a new one.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`; `.invalidInput` for an empty name.
    mutating func index(named entity: String) throws -> Int {
        let position = base.index(of: entity)
        if let position, base.tables[position].type != nil || base.acceptsEntities {
            return index(ofBase: position)
        }
        guard base.acceptsEntities else {
            throw StoreError.unknownEntity(entity, adding: "the type of \"\(entity)\"")
        }
        guard !entity.isEmpty else {
            throw StoreError(.invalidInput, "a record has an empty entity name; name its entity")
        }
        return addTable(of: entity)
    }

    /// A record as the block sees it, in the newest shape; nil if there is none.
    ///
    /// - Throws: as ``row(_:of:)``; `StoreError` with `.evolutionFailed`.
    func record(_ id: RecordID, of entity: String) throws -> Record? {
        guard let row = try row(id, of: entity) else { return nil }
        return try base.index(of: entity).map { try base.tables[$0].record(row) }
    }

    /// The row of a record as the block sees it.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`, as `RecordSource.record(_:_:)`.
    func row(_ id: RecordID, of entity: String) throws -> Row? {
        for index in tables.indices
        where base.tables[tables[index].index].entity.isSameName(as: entity) {
            return lookUp(id, in: index).row
        }
        guard let table = try base.knownIndex(of: entity) else {
            // In a concurrent block, any event meanwhile may add it.
            reads?.noteState()
            return nil
        }
        reads?.note(id, inTableAt: table)
        return base.tables[table].row(id)
    }

    /// Throws if the type of a record's entity cannot read the record.
    ///
    /// - Throws: `StoreError` with `.notDecodable`, also if it is read with another id;
    ///   `.invalidSchema` if an index reads another field than its key path.
    func check(_ record: Record, in index: Int) throws {
        let table = tables[index].index
        guard let type = base.tables[table].type else { return }
        try Self.decode(record, as: type)
        for index in base.tables[table].indexes.indices {
            guard let binding = base.tables[table].indexes[index].definition.binding,
                binding.isOpen
            else { continue }
            try binding.compare(stored: record.fields.bytes, record.id)
        }
    }

    /// The version of the shape of a record that is written by names: that of the entity's type;
    /// without a type, that of the row it replaces, or else the newest that the log has recorded.
    func shapeVersion(replacing row: Row?, in index: Int) -> Int {
        let table = tables[index].index
        if base.tables[table].type == nil {
            if let row { return row.version }
            let recorded = base.schemas[base.tables[table].entity]?.version
            if let recorded { return recorded }
        }
        let newest = base.tables[table].evolver?.version ?? Evolver.firstVersion
        return max(newest, row?.version ?? Evolver.firstVersion)
    }

    private static func decode<E: Entity>(_ record: Record, as type: E.Type) throws {
        do {
            _ = try RecordCoding.decode(type, from: record.fields.bytes, id: record.id)
        } catch let error as StoreError {
            throw StoreError(
                error.code, error.message + ". It was not written", at: error.place,
                cause: error.cause)
        }
    }
}

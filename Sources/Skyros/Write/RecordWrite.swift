/// A write of one record by its bytes, for code that has no value of its Swift type.
enum RecordWrite: Sendable {
    /// Inserts the record, or replaces the one with this id.
    ///
    /// The version is that of the record's shape.
    case put(entity: String, id: RecordID, record: [UInt8], version: Int)
    /// Deletes the record with this id, if there is one.
    case delete(entity: String, id: RecordID)
    /// Deletes all records of the entity.
    case clear(entity: String)
}

extension WriteOverlay {
    /// Stages writes of records whose bytes were encoded, and checked, by a write block before.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`.
    mutating func apply(_ writes: some Sequence<RecordWrite>) throws {
        for write in writes {
            switch write {
            case .put(let entity, let id, let record, let version):
                let index = try index(named: entity)
                put(record, at: lookUp(id, in: index), version: version, in: index)
            case .delete(let entity, let id):
                let index = try index(named: entity)
                let found = lookUp(id, in: index)
                if found.row != nil { remove(found, in: index) }
            case .clear(let entity):
                _ = clear(try index(named: entity))
            }
        }
    }
}

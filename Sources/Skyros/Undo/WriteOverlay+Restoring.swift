/// Records that come back as they were.
extension WriteOverlay {
    /// Stages records of the past, in the shapes that they had.
    ///
    /// - Throws: `StoreError` with `.unknownEntity`; `.notDecodable` if the entity's type cannot
    ///   read a record any more, also if it would read another id; `.evolutionFailed`;
    ///   `.invalidSchema` if an index reads another field than its key path.
    mutating func restore(_ writes: [RecordWrite]) throws {
        try apply(writes)
        for case .put(let entity, let id, _, _) in writes {
            let index = try index(named: entity)
            if let row = lookUp(id, in: index).row { try check(row, in: index) }
        }
    }

    private func check(_ row: Row, in index: Int) throws {
        let table = tables[index].index
        guard let type = base.tables[table].type else { return }
        func check<E: Entity>(_ type: E.Type) throws {
            let bytes = try row.bytes(for: type)
            _ = try RecordCoding.decode(type, from: bytes, id: row.id)
            for index in base.tables[table].indexes.indices {
                guard let binding = base.tables[table].indexes[index].definition.binding,
                    binding.isOpen
                else { continue }
                try binding.compare(stored: bytes, row.id)
            }
        }
        try check(type)
    }
}

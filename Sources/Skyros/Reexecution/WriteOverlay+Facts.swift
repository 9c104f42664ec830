/// The changes of an event in a write block on another state than the event found.
extension WriteOverlay {
    /// Stages what an event did, as far as the records allow it.
    ///
    /// - Parameter changes: those of the event, with the rows that it found and left.
    /// - Returns: what was not as the event found it.
    /// - Throws: `StoreError` with `.evolutionFailed`, `.invalidEvent`.
    mutating func stage(facts changes: [StagedChange]) throws -> [WhatIfOutcome.Misfit] {
        try changes.compactMap { staged in
            let entity = staged.change.entity
            switch staged.effect {
            case .put(let row, nil): return try insert(row, entity)
            case .put(let row, let old?): return try update(entity, from: old, to: row)
            case .remove(let row): return try delete(row, entity)
            case .clear(let count, _): return try clear(entity, count)
            }
        }
    }

    /// The row of a record as the block sees it. Unlike in a block of a store, an entity may have
    /// neither type nor records.
    private func present(_ id: RecordID, of entity: String) -> Row? {
        for index in tables.indices
        where base.tables[tables[index].index].entity.isSameName(as: entity) {
            return lookUp(id, in: index).row
        }
        return base.index(of: entity).flatMap { base.tables[$0].row(id) }
    }

    private mutating func put(_ bytes: [UInt8], _ version: Int, _ row: Row, _ entity: String) throws
    {
        try apply([.put(entity: entity, id: row.id, record: bytes, version: version)])
    }

    private mutating func insert(_ row: Row, _ entity: String) throws -> WhatIfOutcome.Misfit? {
        let isTaken = present(row.id, of: entity) != nil
        try put(row.bytes, row.version, row, entity)
        return isTaken ? .exists(entity: entity, id: row.id) : nil
    }

    private mutating func update(
        _ entity: String, from old: Row, to new: Row
    ) throws -> WhatIfOutcome.Misfit? {
        guard let present = present(new.id, of: entity) else {
            return .missing(entity: entity, id: new.id)
        }
        if present.isSameRecord(as: old) {
            try put(new.bytes, new.version, new, entity)
            return nil
        }
        // All three in one shape.
        let versions = Set([old.version, new.version, present.version])
        let evolver = base.table(entity)?.newestEvolver
        func bytes(of row: Row) throws -> [UInt8] {
            guard versions.count > 1, let evolver else { return row.bytes }
            return try row.bytes(evolvedBy: evolver, entity)
        }
        let version = Swift.max(
            versions.max() ?? Evolver.firstVersion, versions.count > 1 ? evolver?.version ?? 0 : 0)
        let (before, after, found) = try (bytes(of: old), bytes(of: new), bytes(of: present))
        do {
            let change = try Fields.difference(from: before, to: after)
            let none = Fields.none.bytes
            let merged = try Fields.merge(
                found, before: change?.before ?? none, after: change?.after ?? none)
            try put(merged, version, new, entity)
        } catch let error as CBORError {
            throw StoreError(
                .invalidEvent, "\(entity) \(new.id) cannot be changed: \(error.description)",
                at: StoreError.Place(entity: entity, ids: [new.id]))
        }
        // Fields that the event set, and found otherwise.
        let set = try FieldChange.differences(from: before, to: after)
        let other = Fields(trusted: found)
        let fields = set.compactMap { change -> FieldChange? in
            let value = other[change.field]
            if value == change.before || value == change.after { return nil }
            return FieldChange(field: change.field, before: change.before, after: value)
        }
        return fields.isEmpty ? nil : .differs(entity: entity, id: new.id, fields: fields)
    }

    private mutating func delete(_ row: Row, _ entity: String) throws -> WhatIfOutcome.Misfit? {
        guard let present = present(row.id, of: entity) else {
            return .missing(entity: entity, id: row.id)
        }
        try apply([.delete(entity: entity, id: row.id)])
        let fields =
            try base.recordDifference(of: entity, row.id, from: row, to: present)?.changes ?? []
        return fields.isEmpty ? nil : .differs(entity: entity, id: row.id, fields: fields)
    }

    private mutating func clear(_ entity: String, _ count: Int) throws -> WhatIfOutcome.Misfit? {
        guard base.index(of: entity) != nil else {
            return count == 0 ? nil : .cleared(entity: entity, count: count, found: 0)
        }
        let found = clear(try index(named: entity))
        return found == count ? nil : .cleared(entity: entity, count: count, found: found)
    }
}

/// The changes of an event in a write block on another state than the event found.
extension WriteOverlay {
    /// Stages what an event did, as far as the records allow it.
    ///
    /// - Returns: the records that were not as the event found them.
    /// - Throws: `StoreError` with `.evolutionFailed`, `.invalidEvent`.
    mutating func stage(factsOf event: Event) throws -> [WhatIfOutcome.Misfit] {
        try event.versionedChanges.compactMap { versioned in
            switch versioned.change {
            case .inserted(let record): try insert(record, versioned.version)
            case .updated(let entity, let id, let before, let after):
                try update(entity, id, before, after, versioned)
            case .deleted(let record): try delete(record.entity, record.id)
            case .cleared(let entity, _): try clear(entity)
            }
        }
    }

    private mutating func insert(
        _ record: Record, _ version: Int
    ) throws -> WhatIfOutcome.Misfit? {
        let isTaken = try row(record.id, of: record.entity) != nil
        try apply([
            .put(
                entity: record.entity, id: record.id, record: record.fields.bytes,
                version: version)
        ])
        return isTaken ? .exists(entity: record.entity, id: record.id) : nil
    }

    private mutating func update(
        _ entity: String, _ id: RecordID, _ before: Fields, _ after: Fields,
        _ versioned: VersionedChange
    ) throws -> WhatIfOutcome.Misfit? {
        guard let row = try row(id, of: entity) else { return .missing(entity: entity, id: id) }
        let (old, version) = try fields(
            of: row, entity, atLeast: versioned.formerVersion ?? versioned.version)
        do {
            let fitting = try Fields.applying(
                before: before.bytes, after: after.bytes, to: old)
            let new = try fitting ?? Fields.merge(old, before: before.bytes, after: after.bytes)
            try apply([
                .put(
                    entity: entity, id: id, record: new,
                    version: Swift.max(version, versioned.version))
            ])
            if fitting != nil { return nil }
            return try misfit(of: entity, id, Fields(trusted: old), before, after)
        } catch let error as CBORError {
            throw StoreError(
                .invalidEvent, "\(entity) \(id) cannot be changed: \(error.description)",
                at: StoreError.Place(entity: entity, ids: [id]))
        }
    }

    /// The fields of a row in the shape that an event found, or a newer one.
    private func fields(
        of row: Row, _ entity: String, atLeast version: Int
    ) throws -> (bytes: [UInt8], version: Int) {
        guard row.version < version, let table = base.index(of: entity),
            let evolver = base.tables[table].evolver
        else { return (row.bytes, row.version) }
        return (try row.bytes(evolvedBy: evolver, entity), evolver.version)
    }

    private func misfit(
        of entity: String, _ id: RecordID, _ old: Fields, _ before: Fields, _ after: Fields
    ) throws -> WhatIfOutcome.Misfit? {
        let fields = try FieldChange.list(before: before, after: after).compactMap { change in
            let value = try old.value(of: change.field)
            if value == change.before || value == change.after { return nil as FieldChange? }
            return FieldChange(field: change.field, before: change.before, after: value)
        }
        return fields.isEmpty ? nil : .differs(entity: entity, id: id, fields: fields)
    }

    private mutating func delete(
        _ entity: String, _ id: RecordID
    ) throws -> WhatIfOutcome.Misfit? {
        guard try row(id, of: entity) != nil else { return .missing(entity: entity, id: id) }
        try apply([.delete(entity: entity, id: id)])
        return nil
    }

    private mutating func clear(_ entity: String) throws -> WhatIfOutcome.Misfit? {
        try apply([.clear(entity: entity)])
        return nil
    }
}

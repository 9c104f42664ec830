import SkyrosLog

/// What an undo does to each record of a state: a pure function of that state, of what the undone
/// events did, and of the resolution.
struct UndoDecisions {
    /// A record that goes back.
    struct Restoration {
        let found: Table.Shape?
        /// What it becomes; nil for none.
        let restored: Table.Shape?
    }

    /// The records that go back.
    private(set) var restorations: [HistoryKey: Restoration] = [:]
    /// The conflicts that the resolution has decided.
    private(set) var decided: [UndoConflict] = []
    /// The conflicts that stop the undo.
    private(set) var open: [UndoConflict] = []

    private let state: Snapshot
    private let resolution: UndoResolution

    /// - Throws: `StoreError` with `.evolutionFailed` if the references to a record depend on
    ///   records that only a closure of the app brings to the newest shape; `.invalidEvent`.
    /// - Complexity: O(records of the past × log n), and the references to records that the undo
    ///   deletes.
    init(_ past: UndonePast, on state: Snapshot, _ resolution: UndoResolution) throws {
        self.state = state
        self.resolution = resolution
        do {
            for record in past.records { try decide(record) }
            if resolution != .restore { try keepReferredTo(past) }
        } catch let error as CBORError {
            throw StoreError(
                .invalidEvent, "a record of the undone events cannot be read",
                at: StoreError.Place(sequences: past.ranges.first), cause: error.description)
        }
    }

    /// The writes that bring the records back, by entity and id.
    var writes: [RecordWrite] {
        restorations.keys.sorted().map { key in
            let entity = String(decoding: key.entity, as: UTF8.self)
            let id = RecordID(key)
            guard let shape = restorations[key]?.restored else {
                return .delete(entity: entity, id: id)
            }
            return .put(entity: entity, id: id, record: shape.bytes, version: shape.version)
        }
    }

    // MARK: Records that were changed

    private mutating func decide(_ record: UndonePast.UndoneRecord) throws {
        let found = found(record.key)
        if found == record.before { return }
        if record.isUnbroken {
            if record.before == record.expected { return }
            if found == record.expected {
                restorations[record.key] = Restoration(found: found, restored: record.before)
                return
            }
        }
        let merging = try UndoMerging(record, onto: found, in: table(record.key))
        let conflict = conflict(.changed, record, found, merging)
        switch resolution {
        case .refuse: open.append(conflict)
        case .skip: decided.append(conflict)
        case .restore:
            decided.append(conflict)
            restorations[record.key] = Restoration(found: found, restored: record.before)
        case .merge:
            guard let merged = merging.merged else { return open.append(conflict) }
            decided.append(conflict)
            if merged == found { return }
            restorations[record.key] = Restoration(found: found, restored: merged)
        }
    }

    // MARK: Records to which others refer

    /// Keeps the records whose deletion would change records that the undo does not take back, or
    /// be denied by them. One that is kept keeps those to which it refers.
    ///
    /// - Complexity: O(references to the records that the undo deletes).
    private mutating func keepReferredTo(_ past: UndonePast) throws {
        let deleted = past.records.filter { record in
            restorations[record.key].map { $0.restored == nil } ?? false
        }
        // The deleted records to which another one refers that is deleted, too.
        var targets: [HistoryKey: [HistoryKey]] = [:]
        var pending: [HistoryKey] = []
        for record in deleted {
            let references = try references(to: record.key) { referrer in
                targets[referrer, default: []].append(record.key)
            }
            if !references.isEmpty { pending.append(record.key) }
        }
        while let key = pending.popLast() {
            if restorations.removeValue(forKey: key) != nil { pending += targets[key] ?? [] }
        }
        for record in deleted where restorations[record.key] == nil {
            // A reference of the record to itself is not in the way.
            let references = try references(to: record.key).filter { reference in
                reference.id != reference.targetID
                    || !reference.entity.isSameName(as: reference.target)
            }
            let conflict = conflict(
                .referredTo, record, found(record.key), nil, references)
            if resolution == .skip { decided.append(conflict) } else { open.append(conflict) }
        }
    }

    /// The references to a record by records that stay, and keep them.
    ///
    /// - Parameter noteDeleted: called with each referring record that the undo deletes.
    private func references(
        to key: HistoryKey, _ noteDeleted: (HistoryKey) -> Void = { _ in }
    ) throws -> [RecordReference] {
        guard let target = state.index(of: String(decoding: key.entity, as: UTF8.self)) else {
            return []
        }
        let id = RecordID(key)
        var references: [RecordReference] = []
        for relation in state.tables[target].relations?.incoming ?? [] {
            let entity = Array(state.tables[relation.table].entity.utf8)
            for row in try state.tables[relation.table].referrers(by: relation, to: id) {
                let referrer = HistoryKey(entity: entity, id: row.id)
                if let planned = restorations[referrer], try !keeps(planned, relation, row, to: id)
                {
                    if planned.restored == nil { noteDeleted(referrer) }
                    continue
                }
                references.append(relation.reference(from: row.id, to: id))
            }
        }
        return references
    }

    /// Whether a record that goes back refers to another one then, too.
    private func keeps(
        _ planned: Restoration, _ relation: RelationDefinition, _ row: Row, to id: RecordID
    ) throws -> Bool {
        guard let shape = planned.restored else { return false }
        let restored = state.tables[relation.table].storedRow(
            row.id, hash: row.hash, number: row.number, version: shape.version, bytes: shape.bytes)
        let bytes = try state.tables[relation.table].bytes(of: restored, by: relation)
        return try relation.refers(bytes, to: id)
    }

    // MARK: Helpers

    private func table(_ key: HistoryKey) -> Table? {
        state.table(String(decoding: key.entity, as: UTF8.self))
    }

    private func found(_ key: HistoryKey) -> Table.Shape? {
        guard let index = state.index(of: String(decoding: key.entity, as: UTF8.self)) else {
            return nil
        }
        return state.tables[index].row(RecordID(key)).map {
            Table.Shape(bytes: $0.bytes, version: $0.version)
        }
    }

    private func conflict(
        _ kind: UndoConflict.Kind, _ record: UndonePast.UndoneRecord, _ found: Table.Shape?,
        _ merging: UndoMerging?, _ references: [RecordReference] = []
    ) -> UndoConflict {
        let entity = String(decoding: record.key.entity, as: UTF8.self)
        let id = RecordID(record.key)
        func stored(_ shape: Table.Shape?) -> Record? {
            shape.map { Record(entity: entity, id: id, fields: Fields(trusted: $0.bytes)) }
        }
        return UndoConflict(
            kind: kind, entity: entity, id: id, before: stored(record.before),
            expected: stored(record.expected), found: stored(found),
            fields: merging?.fields ?? [], canMerge: merging?.merged != nil,
            references: references)
    }
}

extension RecordID {
    /// The id of a key that has one.
    init(_ key: HistoryKey) {
        guard let id = key.id else { preconditionFailure("Clearings are not undone as such.") }
        self = id
    }
}

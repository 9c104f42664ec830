import SkyrosLog

/// A state that was forked from another one, and what was changed in it since: a value.
///
/// It knows the sequence and chain hash of the event at which it was forked, and the former content
/// of each changed record. It refers to no store.
struct Fork: Sendable {
    /// The state at the time of the fork, or of the last refresh or merge.
    private(set) var base: Snapshot
    /// The base with the fork's own changes.
    private(set) var current: Snapshot
    /// One element for each entity that was changed.
    private(set) var tables: [ForkEdits] = []

    /// O(1).
    init(of base: Snapshot) {
        self.base = base
        // A child store has no projections.
        self.base.projections = nil
        current = self.base
    }

    /// Applies the changes that a write block has staged on `current`.
    ///
    /// - Throws: as `Projector`; nothing was changed then.
    mutating func apply(_ changes: [StagedChange]) throws {
        var next = current
        try Projector.apply(changes, to: &next)
        for staged in changes {
            let index = index(of: staged.change.entity)
            // The block may have added the table, which is large and not copied.
            let table = staged.table
            switch staged.effect {
            case .put(let row, let old):
                let base = old.map { next.tables[table].newestShape(of: $0) }
                tables[index].note(row.id, base: base)
            case .remove(let row):
                tables[index].note(row.id, base: next.tables[table].newestShape(of: row))
            case .clear: tables[index].noteClearing(of: current.tables[table])
            }
        }
        current = next
    }

    private mutating func index(of entity: String) -> Int {
        if let index = tables.firstIndex(where: { $0.entity.isSameName(as: entity) }) {
            return index
        }
        tables.append(ForkEdits(entity: entity))
        return tables.count - 1
    }

    /// The number of records that differ from the base. O(edits).
    var changedCount: Int {
        tables.reduce(0) { sum, table in
            let records = current.table(table.entity)
            return sum + table.edits.count { records?.bytes(of: $0.id) != $0.base?.bytes }
        }
    }

    /// The net changes since the base, record by record. O(edits log n).
    func changes() throws -> [Change] {
        try tables.flatMap { table in
            let records = current.table(table.entity)
            return try table.edits.compactMap { edit in
                try Change.net(table.entity, edit.id, edit.base?.bytes, records?.bytes(of: edit.id))
            }
        }
    }

    /// What brings the edits onto a newer state of the parent.
    func plan(onto parent: Snapshot, _ mode: MergePlan.Mode) throws -> MergePlan {
        try MergePlan(self, onto: parent, mode)
    }

    /// Continues from the parent's state, which has all of the edits.
    mutating func continueMerged(from parent: Snapshot) {
        self = Fork(of: parent)
    }

    /// Continues from the parent's state with the edits that a plan has left, and with what the
    /// rules of relations have added to them.
    ///
    /// - Parameter changes: the plan's writes, staged on `parent`.
    /// - Throws: as `apply`.
    mutating func refresh(
        to parent: Snapshot, _ plan: MergePlan, _ changes: [StagedChange]
    ) throws {
        var next = Fork(of: parent)
        next.tables = plan.edits
        try next.apply(changes)
        self = next
    }
}

extension Change {
    /// The change of a record from one state to another; nil if it is none.
    fileprivate static func net(
        _ entity: String, _ id: RecordID, _ old: [UInt8]?, _ new: [UInt8]?
    ) throws -> Change? {
        func record(_ bytes: [UInt8]) -> Record {
            Record(entity: entity, id: id, fields: Fields(trusted: bytes))
        }
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, let new?): return .inserted(record(new))
        case (let old?, nil): return .deleted(record(old))
        case (let old?, let new?):
            return try Fields.difference(from: old, to: new).map { difference in
                .updated(
                    entity: entity, id: id, before: Fields(trusted: difference.before),
                    after: Fields(trusted: difference.after))
            }
        }
    }
}

extension MergePolicy {
    /// What becomes of a record in conflict.
    enum Decision {
        /// The merge is refused.
        case stop
        /// The record; nil for none.
        case record([UInt8]?)
    }

    func decision(
        about conflict: MergeConflict, _ contradiction: ThreeWayMerge.Contradiction,
        of table: TableSides
    ) throws -> Decision {
        switch self {
        case .fail: return .stop
        case .childWins: return .record(contradiction.childWins)
        case .parentWins: return try .record(parentWins(contradiction, conflict, table))
        case .childFieldsWin:
            switch conflict.kind {
            case .updatedByBoth, .insertedByBoth: return .record(contradiction.childWins)
            case .deletedByParent, .deletedByChild, .unreadableTogether: return .stop
            }
        case .resolve(let resolve):
            switch try resolve(conflict) {
            case .child: return .record(contradiction.childWins)
            case .parent: return try .record(parentWins(contradiction, conflict, table))
            case .deletion: return .record(nil)
            case .record(let record):
                try check(record, of: conflict, table)
                return .record(record.fields.bytes)
            }
        }
    }

    /// The parent's fields and the child's other changes; the parent's record alone if its type
    /// does not read both together.
    private func parentWins(
        _ contradiction: ThreeWayMerge.Contradiction, _ conflict: MergeConflict,
        _ table: TableSides
    ) throws -> [UInt8]? {
        guard let union = contradiction.parentWins, let parent = conflict.parent else {
            return contradiction.parentWins
        }
        do {
            try table.checkFit(union, conflict.id)
            return union
        } catch {
            return parent.fields.bytes
        }
    }

    private func check(
        _ record: Record, of conflict: MergeConflict, _ table: TableSides
    ) throws {
        guard record.entity.isSameName(as: conflict.entity), record.id == conflict.id else {
            throw StoreError(
                .invalidInput,
                "the resolution of the conflict about \(conflict.entity) \(conflict.id) is the "
                    + "record \(record.entity) \(record.id); return one with the conflict's "
                    + "entity and id",
                at: StoreError.Place(entity: conflict.entity, ids: [conflict.id]))
        }
        try table.checkFit(record.fields.bytes, conflict.id)
    }
}

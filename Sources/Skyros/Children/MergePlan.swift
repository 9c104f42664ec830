import SkyrosLog

/// What brings the edits of a fork onto a newer state of its parent: a pure function of the fork
/// and that state.
struct MergePlan {
    /// What to write on top of the parent's state.
    private(set) var writes: [RecordWrite] = []
    /// The edits that are left relative to the parent's state, once these are written.
    private(set) var edits: [ForkEdits] = []
    /// The conflicts that were decided.
    private(set) var decided: [MergeConflict] = []
    /// The conflicts that stop the merge.
    private(set) var open: [MergeConflict] = []
    /// The number of records that the writes change.
    private(set) var changeCount = 0

    /// What decides about conflicts.
    enum Mode {
        /// The child's changes stay on top, and its conflicts stay conflicts.
        case refresh
        case merge(MergePolicy)
    }

    /// A plan that writes nothing.
    init() {}

    /// - Throws: what the closure of a policy throws; `StoreError` with `.invalidInput` or
    ///   `.notDecodable` for a record that it must not give.
    /// - Complexity: O(edits log n).
    init(_ fork: Fork, onto parent: Snapshot, _ mode: Mode) throws {
        for table in fork.tables {
            let sides = TableSides(table, fork, parent)
            if case .merge = mode, sides.isWholeTableTheChilds {
                writes.append(.clear(entity: table.entity))
                writes += sides.childRecords
                changeCount += sides.recordCount
                continue
            }
            edits.append(ForkEdits(entity: table.entity))
            for edit in table.edits { try add(edit, of: sides, mode) }
        }
    }

    private mutating func add(
        _ edit: ForkEdits.Edit, of table: TableSides, _ mode: Mode
    ) throws {
        let sides = table.sides(of: edit)
        switch try table.outcome(of: edit, sides) {
        case .parent: return
        case .merged(let record): write(record, edit.id, sides, nextBase: sides.parent)
        case .conflict(let contradiction):
            let conflict = table.conflict(edit, sides, contradiction)
            guard case .merge(let policy) = mode else {
                decided.append(conflict)
                let base = sides.shape(of: contradiction.nextBase, like: sides.base)
                return write(contradiction.childWins, edit.id, sides, nextBase: base)
            }
            switch try policy.decision(about: conflict, contradiction, of: table) {
            case .stop: open.append(conflict)
            case .record(let record):
                decided.append(conflict)
                write(record, edit.id, sides, nextBase: sides.parent)
            }
        }
    }

    private mutating func write(
        _ record: [UInt8]?, _ id: RecordID, _ sides: RecordSides, nextBase: Table.Shape?
    ) {
        let shape = sides.shape(of: record, like: sides.child, sides.parent)
        if shape == sides.parent, nextBase == sides.parent { return }
        edits[edits.count - 1].note(id, base: nextBase)
        if shape == sides.parent { return }
        changeCount += 1
        let entity = edits[edits.count - 1].entity
        writes.append(
            shape.map {
                .put(entity: entity, id: id, record: $0.bytes, version: $0.version)
            }
                ?? .delete(entity: entity, id: id))
    }
}

/// One entity's records on the three sides.
struct TableSides {
    private let edits: ForkEdits
    private let base: Table?
    private let parent: Table?
    private let child: Table?

    init(_ edits: ForkEdits, _ fork: Fork, _ parent: Snapshot) {
        self.edits = edits
        base = fork.base.table(edits.entity)
        self.parent = parent.table(edits.entity)
        child = fork.current.table(edits.entity)
    }

    /// A record's sides, in one shape if the steps to the newest one are known.
    func sides(of edit: ForkEdits.Edit) -> RecordSides {
        let sides = RecordSides(
            base: edit.base, parent: parent?.newestShape(of: edit.id),
            child: child?.newestShape(of: edit.id))
        if sides.haveOneShape { return sides }
        // The newest steps that a side knows.
        let evolvers = [parent, child].compactMap { $0?.recorded?.evolver ?? $0?.evolver }
        guard let evolver = evolvers.max(by: { $0.version < $1.version }) else { return sides }
        return sides.evolved(by: evolver, edits.entity, edit.id) ?? sides
    }

    /// Whether the child deleted all records and the parent changed none: then the deletion is one
    /// change, however many records there were.
    var isWholeTableTheChilds: Bool {
        guard edits.isCleared, let base, let parent, base.rows.isIdentical(to: parent.rows) else {
            return false
        }
        return edits.edits.allSatisfy { $0.base == base.newestShape(of: $0.id) }
    }

    /// Writes of the child's changed records.
    var childRecords: [RecordWrite] {
        edits.edits.compactMap { edit -> RecordWrite? in
            guard let child, let row = child.row(edit.id) else { return nil }
            let shape = child.newestShape(of: row)
            return .put(
                entity: edits.entity, id: row.id, record: shape.bytes, version: shape.version)
        }
    }

    /// The number of records that the parent has, or that the child has instead of them.
    var recordCount: Int {
        edits.edits.reduce(parent?.count ?? 0) { count, edit in
            child?.row(edit.id) != nil && parent?.row(edit.id) == nil ? count + 1 : count
        }
    }

    /// The outcome of a record. One that has fields of both sides must fit its type.
    func outcome(
        of edit: ForkEdits.Edit, _ sides: RecordSides
    ) throws -> ThreeWayMerge.Outcome {
        let outcome = try sides.outcome()
        let union: [UInt8]?
        switch outcome {
        case .parent: return outcome
        case .merged(let record): union = record
        case .conflict(let contradiction): union = contradiction.childWins
        }
        guard let union, union != sides.child?.bytes, union != sides.parent?.bytes else {
            return outcome
        }
        do {
            try checkFit(union, edit.id)
            return outcome
        } catch {
            return .conflict(try ThreeWayMerge.refusedUnion(of: sides.bytes))
        }
    }

    /// - Throws: `StoreError` with `.notDecodable` if the entity's type does not read the record.
    func checkFit(_ record: [UInt8], _ id: RecordID) throws {
        if let type = parent?.type { try Self.decode(record, as: type, id) }
    }

    private static func decode<E: Entity>(
        _ record: [UInt8], as type: E.Type, _ id: RecordID
    ) throws {
        _ = try RecordCoding.decode(type, from: record, id: id)
    }

    func conflict(
        _ edit: ForkEdits.Edit, _ sides: RecordSides,
        _ contradiction: ThreeWayMerge.Contradiction
    ) -> MergeConflict {
        func record(_ shape: Table.Shape?) -> Record? {
            shape.map {
                Record(entity: edits.entity, id: edit.id, fields: Fields(trusted: $0.bytes))
            }
        }
        return MergeConflict(
            kind: contradiction.kind, entity: edits.entity, id: edit.id,
            fields: contradiction.fields, base: record(sides.base), parent: record(sides.parent),
            child: record(sides.child))
    }
}

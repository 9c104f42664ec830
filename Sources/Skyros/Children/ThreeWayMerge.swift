import SkyrosLog

/// The three-way merge of one record, field by field: a pure function of the bytes of its three
/// states.
///
/// It reads no store, so the three may come from anywhere: a child store in this process, or a
/// fork that was kept or sent elsewhere.
///
/// - Complexity: O(size of the records).
enum ThreeWayMerge {
    /// The states of a record; nil where there is none.
    struct Sides {
        /// The state from which both sides started.
        let base: [UInt8]?
        let parent: [UInt8]?
        let child: [UInt8]?
    }

    enum Outcome: Equatable {
        /// The child changed nothing, or both made the same change: the parent's record stays.
        case parent
        /// The record, or nil for its deletion: only the child changed it, or both changed
        /// different fields of it.
        case merged([UInt8]?)
        /// The sides contradict each other.
        case conflict(Contradiction)
    }

    /// Changes of both sides that exclude each other.
    struct Contradiction: Equatable {
        let kind: MergeConflict.Kind
        /// The fields that both changed, with the values of the base.
        let fields: [String]
        /// The changes of both, with the child's where they exclude each other; nil for a deletion.
        let childWins: [UInt8]?
        /// The changes of both, with the parent's where they exclude each other.
        let parentWins: [UInt8]?
        /// The base of a later merge with the parent, in which the same fields conflict again.
        let nextBase: [UInt8]?
    }

    /// - Throws: `CBORError` if one of the three is no canonical map.
    static func outcome(of sides: Sides) throws(CBORError) -> Outcome {
        if sides.child == sides.base || sides.child == sides.parent { return .parent }
        if sides.parent == sides.base { return .merged(sides.child) }
        guard let parent = sides.parent else { return .conflict(deletion(.deletedByParent, sides)) }
        guard let child = sides.child else { return .conflict(deletion(.deletedByChild, sides)) }
        return try fieldwise(sides.base, parent, child)
    }

    private static func deletion(_ kind: MergeConflict.Kind, _ sides: Sides) -> Contradiction {
        Contradiction(
            kind: kind, fields: [], childWins: sides.child, parentWins: sides.parent,
            nextBase: sides.base)
    }

    /// The contradiction of two records whose type refuses the changes of both in one record.
    static func refusedUnion(of sides: Sides) throws(CBORError) -> Contradiction {
        let none = Fields.none.bytes
        let difference = try Difference(from: sides.parent ?? none, to: sides.child ?? none)
        return Contradiction(
            kind: .unreadableTogether, fields: Fields(trusted: difference.keys).names,
            childWins: sides.child, parentWins: sides.parent, nextBase: sides.base)
    }

    /// Merges two records that differ from the base and from each other.
    private static func fieldwise(
        _ base: [UInt8]?, _ parent: [UInt8], _ child: [UInt8]
    ) throws(CBORError) -> Outcome {
        let start = base ?? Fields.none.bytes
        let byChild = try Difference(from: start, to: child)
        let byParent = try Difference(from: start, to: parent)
        let unequal = try Difference(from: parent, to: child).keys
        let byBoth = try Fields.intersecting(byChild.keys, with: byParent.keys)
        let conflicts = try Fields.intersecting(byBoth, with: unequal)
        let childWins = try byChild.applied(to: parent)
        if conflicts == Fields.none.bytes { return .merged(childWins) }
        return .conflict(
            Contradiction(
                kind: base == nil ? .insertedByBoth : .updatedByBoth,
                fields: Fields(trusted: conflicts).names, childWins: childWins,
                parentWins: try byParent.applied(to: child),
                nextBase: try Fields.merge(
                    parent, before: conflicts,
                    after: Fields.intersecting(start, with: conflicts))))
    }

    /// What changed from one record to another.
    private struct Difference {
        let before: [UInt8]
        let after: [UInt8]
        /// A map with the keys of all fields that changed.
        let keys: [UInt8]

        init(from old: [UInt8], to new: [UInt8]) throws(CBORError) {
            let difference = try Fields.difference(from: old, to: new)
            before = difference?.before ?? Fields.none.bytes
            after = difference?.after ?? Fields.none.bytes
            keys = try Fields.uniting(after, with: before)
        }

        func applied(to record: [UInt8]) throws(CBORError) -> [UInt8] {
            try Fields.merge(record, before: before, after: after)
        }
    }
}

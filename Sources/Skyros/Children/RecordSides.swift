import SkyrosLog

/// One record on the three sides of a merge, with the versions of its shapes.
///
/// Sides have several shapes if a relation's rule has brought a record without a type to a newer
/// one on one side. A field of one shape means nothing in another: it may have another name there.
struct RecordSides {
    /// The record from which both sides started; nil if there was none.
    let base: Table.Shape?
    let parent: Table.Shape?
    let child: Table.Shape?

    private var all: [Table.Shape] { [base, parent, child].compactMap(\.self) }

    var bytes: ThreeWayMerge.Sides {
        ThreeWayMerge.Sides(base: base?.bytes, parent: parent?.bytes, child: child?.bytes)
    }

    /// Whether the fields of all sides can be compared.
    var haveOneShape: Bool {
        let sides = all
        return sides.allSatisfy { $0.version == sides[0].version }
    }

    /// The sides in the newest shape; nil if it is not known of one of them.
    func evolved(by evolver: Evolver, _ entity: String, _ id: RecordID) -> RecordSides? {
        func evolve(_ side: Table.Shape?) throws -> Table.Shape? {
            try side.map {
                Table.Shape(
                    bytes: try evolver.evolve($0.bytes, from: $0.version, entity, id),
                    version: evolver.version)
            }
        }
        guard all.allSatisfy({ $0.version <= evolver.version }) else { return nil }
        return try? RecordSides(
            base: evolve(base), parent: evolve(parent), child: evolve(child))
    }

    /// What a merge makes of the record. Two changes in shapes that cannot be compared are a
    /// conflict.
    ///
    /// - Throws: `CBORError` if a side is no canonical map.
    func outcome() throws(CBORError) -> ThreeWayMerge.Outcome {
        if haveOneShape { return try ThreeWayMerge.outcome(of: bytes) }
        if child == base || child == parent { return .parent }
        if parent == base { return .merged(child?.bytes) }
        guard parent != nil, child != nil else { return try ThreeWayMerge.outcome(of: bytes) }
        return .conflict(try ThreeWayMerge.refusedUnion(of: bytes))
    }

    /// A record that is made of the sides, in the shape of the first one that it equals; otherwise
    /// in the newest of theirs.
    func shape(of record: [UInt8]?, like sides: Table.Shape?...) -> Table.Shape? {
        guard let record else { return nil }
        if let same = sides.first(where: { $0?.bytes == record }) { return same }
        let version = all.map(\.version).max() ?? Evolver.firstVersion
        return Table.Shape(bytes: record, version: version)
    }
}

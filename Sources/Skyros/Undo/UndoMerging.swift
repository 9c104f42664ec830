import SkyrosLog

/// What is left of a record when the fields that the undone events have changed go back, and those
/// that others have changed stay.
///
/// The ranges of the events are taken back one by one, the last one first, each by a three-way
/// merge: from the record as the range left it to what is there, and to what was there before it.
struct UndoMerging {
    /// The merged record, which may be none; nil if the changes exclude each other.
    private(set) var merged: Table.Shape??
    /// The fields that both have changed.
    private(set) var fields: [String] = []

    /// - Throws: `CBORError` if a record is no canonical map.
    init(
        _ record: UndonePast.UndoneRecord, onto found: Table.Shape?, in table: Table?
    ) throws {
        var side = found
        for step in record.steps.reversed() {
            let sides = RecordSides(base: step.after, parent: side, child: step.before)
            switch try sides.outcome() {
            case .parent: break
            case .merged(let bytes): side = sides.shape(of: bytes, like: step.before, side)
            case .conflict(let contradiction):
                fields = contradiction.fields
                return
            }
        }
        // A type may refuse the fields of both in one record.
        if let side, side != record.before, side != found, let table,
            !table.canRead(side, RecordID(record.key))
        {
            return
        }
        merged = .some(side)
    }
}

extension Table {
    /// Whether the entity's type, if there is one, reads a record.
    fileprivate func canRead(_ shape: Shape, _ id: RecordID) -> Bool {
        func decode<E: Entity>(_ type: E.Type) -> Bool {
            let row = storedRow(
                id, hash: hash(id), number: 0, version: shape.version, bytes: shape.bytes)
            return (try? row.value(as: type)) != nil
        }
        return type.map { decode($0) } ?? true
    }
}

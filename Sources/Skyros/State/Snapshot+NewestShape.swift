extension Snapshot {
    /// The difference between two versions of a record, as today's type would write them; nil if
    /// they are the same then.
    func difference(
        of entity: String, _ id: RecordID, from old: Row?, to new: Row?
    ) -> (before: [UInt8]?, after: [UInt8]?)? {
        if old === new { return nil }
        if let old, let new, old.isSameRecord(as: new) { return nil }
        guard let table = index(of: entity).map({ tables[$0] }) else {
            return (old?.bytes, new?.bytes)
        }
        let (before, after) = (
            old.map { table.newestBytes(of: $0) }, new.map { table.newestBytes(of: $0) }
        )
        return before == after ? nil : (before, after)
    }
}

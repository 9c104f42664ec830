/// The live queries of one entity, by what they can hold.
struct LiveTable: Sendable {
    /// The queries of one index.
    fileprivate struct Ranges: Sendable {
        let definition: IndexDefinition
        var tree = KeyRangeTree()
    }

    /// Queries that any record may concern.
    private var whole: [UInt64: LiveInbox] = [:]
    /// Queries with a range of an index, by the position of the index.
    private var ranges: [Int: Ranges] = [:]

    var isEmpty: Bool { whole.isEmpty && ranges.isEmpty }

    mutating func insert(_ inbox: LiveInbox, number: UInt64, _ range: KeyRange?) {
        guard let range else {
            whole[number] = inbox
            return
        }
        ranges[range.index, default: Ranges(definition: range.definition)]
            .tree.insert(range, inbox, number: number)
    }

    mutating func remove(number: UInt64, index: Int?) {
        guard let index else {
            whole[number] = nil
            return
        }
        ranges[index]?.tree.remove(number: number)
        if ranges[index]?.tree.isEmpty == true { ranges[index] = nil }
    }

    /// Adds an event's change to the inboxes of the queries that it may concern.
    ///
    /// - Parameter affected: gets each inbox once in an event.
    func add(
        _ change: StagedChange, of sequence: SequenceNumber, _ affected: inout [LiveInbox]
    ) {
        switch change.effect {
        case .put(let row, let old):
            add(ChangedRow(row, replacing: old), of: sequence, &affected)
        case .remove(let row):
            add(ChangedRow(removed: row), of: sequence, &affected)
        case .clear:
            addAll(.deletes, of: sequence, &affected)
        }
    }

    /// Asks every query to run again.
    func addAll(
        _ kinds: ChangeKinds, of sequence: SequenceNumber, _ affected: inout [LiveInbox]
    ) {
        forEach { inbox in
            if inbox.addAll(kinds, of: sequence) { affected.append(inbox) }
        }
    }

    /// Calls `body` with every inbox. O(n).
    func forEach(_ body: (LiveInbox) -> Void) {
        for inbox in whole.values { body(inbox) }
        for range in ranges.values { range.tree.forEach { body($1) } }
    }

    private func add(
        _ change: ChangedRow, of sequence: SequenceNumber, _ affected: inout [LiveInbox]
    ) {
        func add(_ inbox: LiveInbox) {
            if inbox.add(change.id, change.kind, of: sequence) { affected.append(inbox) }
        }
        for inbox in whole.values { add(inbox) }
        for ranges in ranges.values {
            do {
                try ranges.forEach(changedBy: change, add) { inbox in
                    let kinds = ChangeKinds(change.kind)
                    if inbox.addAll(kinds, of: sequence) { affected.append(inbox) }
                }
            } catch {
                // The key of the record is not known: it may be in every range.
                ranges.tree.forEach { add($1) }
            }
        }
    }
}

extension LiveTable.Ranges {
    /// Calls `touch` with the inboxes in whose range the row was, or is; calls `reset` with those
    /// whose plan the row makes invalid: see `Table.mayUse` and `TableIndex.isOrdered`.
    func forEach(
        changedBy change: ChangedRow, _ touch: (LiveInbox) -> Void, reset: (LiveInbox) -> Void
    ) throws(CBORError) {
        var newKey: ByteString?
        if let new = change.new {
            let checked = try definition.checkedKey(of: new)
            let isUsable = checked.isExpected && definition.binding?.isRefuted != true
            if !isUsable || !checked.isRegular {
                tree.forEach { range, inbox in
                    if !isUsable || range.needsOrder { reset(inbox) }
                }
            }
            tree.forEach(containing: checked.key, touch)
            newKey = checked.key
        }
        if let old = change.old {
            let key = try definition.checkedKey(of: old).key
            if key != newKey { tree.forEach(containing: key, touch) }
        }
    }
}

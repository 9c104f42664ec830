import SkyrosDisk

extension SimulatedState {
    /// The state that the next process finds: the page cache still holds all writes.
    func killed() -> SimulatedState {
        var next = self
        next.heldLock = nil
        next.isSuspended = false
        next.operations = []
        next.failures = []
        next.snapshots = nil
        next.faults = []
        next.dropOldInodes()
        return next
    }

    /// The state after a power cut in which `fate` decides which unsynced changes survive.
    func crashed(_ fate: CrashFate) -> SimulatedState {
        var fate = fate
        var next = killed()
        next.bootNumber += 1
        next.bootID = "simulated boot \(next.bootNumber)"
        for directory in Directory.allCases {
            next.names[directory] = names[directory].map { Names(surviving($0, &fate)) }
        }
        for directory in Directory.allCases
        where directory != .root && next.names[.root]?.current[directory.rawValue] == nil {
            next.names[directory] = nil
        }
        let others = next.inodes.keys.sorted().compactMap { inodes[$0] }
        for number in next.inodes.keys.sorted() {
            guard let inode = inodes[number] else { continue }
            // Not even garbage may be an old journal in a new one's place: it would roll back the
            // old transaction, and SQLite relies on file systems not to mix up the two.
            let stale = others.filter { !(inode.isJournal && $0.isJournal) }.map(\.current)
            let content = inode.surviving(&fate, stale: stale)
            next.inodes[number] = Inode(
                current: content, durable: content, isJournal: inode.isJournal)
        }
        return next
    }

    /// Drops the inodes of removed files except the newest four, whose stale bytes may appear in
    /// ranges that were never written.
    private mutating func dropOldInodes() {
        var inUse: Set<Int> = []
        for names in names.values {
            inUse.formUnion(names.current.values)
            for change in (names.lost + names.unsynced).joined() {
                if case .set(_, let inode) = change { inUse.insert(inode) }
            }
            inUse.formUnion(names.durable.values)
        }
        let removed = inodes.keys.filter { !inUse.contains($0) }.sorted()
        for number in removed.dropLast(4) { inodes[number] = nil }
    }

    /// The number of changes that a power cut may keep or lose.
    var unsyncedChangeCount: Int {
        names.values.reduce(0) { $0 + $1.lost.count + $1.unsynced.count }
            + inodes.values.reduce(0) { $0 + $1.unsyncedChangeCount }
    }

    /// The number of sectors that a power cut may keep or lose.
    var unsyncedSectorCount: Int { inodes.values.reduce(0) { $0 + $1.unsyncedSectorCount } }

    private func surviving(_ names: Names, _ fate: inout CrashFate) -> [String: Int] {
        var kept = names.durable
        for changes in names.lost + names.unsynced where fate.keepsNextChange() {
            Self.apply(changes, to: &kept)
        }
        return kept
    }
}

extension SimulatedState.Names {
    fileprivate init(_ durable: [String: Int]) {
        current = durable
        self.durable = durable
    }
}

extension SimulatedState.Inode {
    fileprivate var unsyncedChangeCount: Int {
        lost.count + unsynced.count + (durable.count == current.count ? 0 : 1)
    }

    fileprivate var unsyncedSectorCount: Int {
        (lost.map(\.range) + unsynced).reduce(0) { count, range in
            let end = min(range.upperBound, current.count)
            guard end > range.lowerBound else { return count }
            return count + (end - 1) / Self.sectorBytes - range.lowerBound / Self.sectorBytes + 1
        }
    }

    /// The content after a power cut.
    ///
    /// The size is the old or the new one. Each sector of an unsynced write, or of one whose sync
    /// failed, is the old or the new one. Beyond the durable size it may also be zeros or garbage,
    /// such as stale bytes of another file.
    fileprivate func surviving(_ fate: inout CrashFate, stale: [[UInt8]]) -> [UInt8] {
        if unsyncedChangeCount == 0 { return durable }
        let growsOrShrinks = durable.count != current.count
        let size = growsOrShrinks && fate.keepsNextChange() ? current.count : durable.count
        var content = Array(durable.prefix(size))
        content += [UInt8](repeating: 0, count: size - content.count)
        for write in lost { replace(write.range, in: &content, by: write.bytes, &fate, stale) }
        for range in unsynced { replace(range, in: &content, by: current[...], &fate, stale) }
        return content
    }

    /// Applies a write sector by sector, as `fate` decides.
    private func replace(
        _ range: Range<Int>, in content: inout [UInt8], by new: ArraySlice<UInt8>,
        _ fate: inout CrashFate, _ stale: [[UInt8]]
    ) {
        fate.beginWrite()
        var start = range.lowerBound
        while start < min(range.upperBound, content.count) {
            let next = (start / Self.sectorBytes + 1) * Self.sectorBytes
            let end = min(next, range.upperBound, content.count)
            replaceSector(start..<end, in: &content, by: new, &fate, stale)
            start = end
        }
    }

    private func replaceSector(
        _ range: Range<Int>, in content: inout [UInt8], by new: ArraySlice<UInt8>,
        _ fate: inout CrashFate, _ stale: [[UInt8]]
    ) {
        let isFresh = range.lowerBound >= durable.count
        switch fate.nextSector() {
        case .old: break
        case .zero where isFresh:
            for index in range { content[index] = 0 }
        case .garbage where isFresh:
            let garbage = fate.garbage(at: range, stale)
            content.replaceSubrange(range, with: garbage)
        case .new, .zero, .garbage:
            // A later truncation may have cut the end of the write.
            let existing = range.clamped(to: new.indices)
            content.replaceSubrange(existing, with: new[existing])
        }
    }
}

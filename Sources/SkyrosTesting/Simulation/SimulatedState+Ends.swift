import SkyrosDisk

extension SimulatedState {
    /// As the next process finds it: the system still has all that was written, synced or not.
    func killed() -> SimulatedState {
        var next = self
        next.heldLock = nil
        next.operations = []
        next.failures = []
        next.snapshots = nil
        next.faults = []
        next.forgetOldFiles()
        return next
    }

    /// As a machine may find it after a power cut, if `fate` decides what survives.
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
            // The beginning of an old journal, where a new one's should be, undoes the old
            // transaction: SQLite relies on file systems not to mix up these two.
            let stale = others.filter { !(inode.isJournal && $0.isJournal) }.map(\.current)
            let content = inode.surviving(&fate, stale: stale)
            next.inodes[number] = Inode(
                current: content, durable: content, isJournal: inode.isJournal)
        }
        return next
    }

    /// Free space still holds the bytes of files that are gone; of those the newest are kept, so
    /// that they can turn up where nothing was written.
    private mutating func forgetOldFiles() {
        var inUse: Set<Int> = []
        for names in names.values {
            inUse.formUnion(names.current.values)
            for change in (names.lost + names.unsynced).joined() {
                if case .set(_, let inode) = change { inUse.insert(inode) }
            }
            inUse.formUnion(names.durable.values)
        }
        let gone = inodes.keys.filter { !inUse.contains($0) }.sorted()
        for number in gone.dropLast(4) { inodes[number] = nil }
    }

    /// How many changes a power cut may keep or lose.
    var unsyncedChangeCount: Int {
        names.values.reduce(0) { $0 + $1.lost.count + $1.unsynced.count }
            + inodes.values.reduce(0) { $0 + $1.unsyncedChangeCount }
    }

    /// How many sectors the writes have that a power cut may keep or lose.
    var unsyncedSectorCount: Int {
        inodes.values.reduce(0) { $0 + $1.unsyncedSectorCount }
    }

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
    /// The size is the old or the new one. Of each write that was not synced, or whose sync
    /// failed, each sector arrived or not: where something durable stood it is the old or the new
    /// one, elsewhere it may also be zeros, or garbage, such as the bytes of some other file.
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

    /// Lets a write arrive, sector by sector or not.
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
            // A later truncation may have taken the end of what was written.
            let there = range.clamped(to: new.indices)
            content.replaceSubrange(there, with: new[there])
        }
    }
}

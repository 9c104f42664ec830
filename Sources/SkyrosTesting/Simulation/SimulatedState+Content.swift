extension SimulatedState {
    /// A file's content, whatever its names are.
    struct Inode: Sendable {
        /// What the medium writes as a whole or not at all.
        static let sectorBytes = 512

        /// What a reader sees.
        var current: [UInt8] = []
        /// What is on the medium for certain, but for what was lost there.
        var durable: [UInt8] = []
        /// The ranges written since the last sync.
        var unsynced: [Range<Int>] = []
        /// What failed syncs left clean, oldest first: later syncs do not write it, and some of
        /// it may have reached the medium.
        var lost: [LostWrite] = []
        /// Whether it is a journal of SQLite's.
        var isJournal = false
    }

    /// A write whose sync failed.
    struct LostWrite: Sendable {
        /// Where it is, and its bytes under the same indices.
        let bytes: ArraySlice<UInt8>

        var range: Range<Int> { bytes.indices }
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, to inode: Int, at position: Int) {
        guard !bytes.isEmpty else { return }
        let end = position + bytes.count
        resize(inode, to: max(end, inodes[inode]?.current.count ?? 0))
        inodes[inode]?.current.replaceSubrange(position..<end, with: bytes)
        inodes[inode]?.unsynced.append(position..<end)
    }

    mutating func resize(_ inode: Int, to size: Int) {
        guard let count = inodes[inode]?.current.count else { return }
        if size < count {
            inodes[inode]?.current.removeLast(count - size)
            // What follows the cut is zeros by the file's size, whatever the medium holds there.
            inodes[inode]?.keepLost { [$0.clamped(to: 0..<size)] }
        } else {
            inodes[inode]?.current += [UInt8](repeating: 0, count: size - count)
        }
    }

    mutating func syncFile(_ inode: Int) {
        inodes[inode]?.sync()
    }

    /// What was written and not synced will never be written back by itself; a crash may keep
    /// it or not.
    mutating func forgetUnsynced(_ inode: Int) {
        inodes[inode]?.forgetUnsynced()
    }
}

extension SimulatedState.Inode {
    /// Makes durable what was written since the last sync: sectors are written as they are in
    /// memory, and those that were lost and not written to again stay as they are on the medium.
    fileprivate mutating func sync() {
        for range in unsynced {
            let sectors = Self.sectors(around: range)
            keepLost { lost in
                [
                    lost.clamped(to: 0..<sectors.lowerBound),
                    lost.clamped(to: sectors.upperBound..<Int.max),
                ]
            }
        }
        var synced = current
        for range in lost.map(\.range) {
            for index in range { synced[index] = index < durable.count ? durable[index] : 0 }
        }
        durable = synced
        unsynced = []
    }

    fileprivate mutating func forgetUnsynced() {
        for range in unsynced {
            let there = range.clamped(to: 0..<current.count)
            if !there.isEmpty { lost.append(SimulatedState.LostWrite(bytes: current[there])) }
        }
        unsynced = []
    }

    /// Keeps of each lost write the parts that `parts` names.
    fileprivate mutating func keepLost(_ parts: (Range<Int>) -> [Range<Int>]) {
        lost = lost.flatMap { write in
            parts(write.range).filter { !$0.isEmpty }.map {
                SimulatedState.LostWrite(bytes: write.bytes[$0])
            }
        }
    }

    private static func sectors(around range: Range<Int>) -> Range<Int> {
        let last = (range.upperBound - 1) / sectorBytes
        return range.lowerBound / sectorBytes * sectorBytes..<(last + 1) * sectorBytes
    }
}

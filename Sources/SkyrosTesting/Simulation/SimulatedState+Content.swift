extension SimulatedState {
    /// The content of a file, independent of its names.
    struct Inode: Sendable {
        /// The unit that the device writes atomically.
        static let sectorBytes = 512

        /// The content that a reader sees.
        var current: [UInt8] = []
        /// The content on the device, except in the ranges of lost writes.
        var durable: [UInt8] = []
        /// The ranges written since the last sync.
        var unsynced: [Range<Int>] = []
        /// Writes whose sync failed, oldest first: later syncs do not write them, and parts of them
        /// may have reached the device.
        var lost: [LostWrite] = []
        /// Whether it is a journal of SQLite.
        var isJournal = false
    }

    /// A write whose sync failed.
    struct LostWrite: Sendable {
        /// The bytes; their indices are offsets in the file.
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
            // Bytes beyond the new size read as zeros later, whatever the device holds there.
            inodes[inode]?.keepLost { [$0.clamped(to: 0..<size)] }
        } else {
            inodes[inode]?.current += [UInt8](repeating: 0, count: size - count)
        }
    }

    mutating func syncFile(_ inode: Int) {
        inodes[inode]?.sync()
    }

    /// After a failed sync: later syncs do not write the unsynced ranges; a crash may keep them.
    mutating func loseUnsynced(_ inode: Int) {
        inodes[inode]?.loseUnsynced()
    }
}

extension SimulatedState.Inode {
    /// Makes the ranges written since the last sync durable, in whole sectors. Lost sectors that
    /// were not written again stay as they are on the device.
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

    fileprivate mutating func loseUnsynced() {
        for range in unsynced {
            let existing = range.clamped(to: 0..<current.count)
            if !existing.isEmpty { lost.append(SimulatedState.LostWrite(bytes: current[existing])) }
        }
        unsynced = []
    }

    /// Replaces each lost write by the parts that `parts` returns.
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

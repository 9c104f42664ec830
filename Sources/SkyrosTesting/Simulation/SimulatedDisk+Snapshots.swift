import SkyrosDisk
import SkyrosLog

// Stopping the world at every operation: one run is recorded, and each of its snapshots is a disk.

extension SimulatedDisk {
    /// The disk as it was at one snapshot of a recorded run.
    package struct DiskSnapshot: Sendable {
        /// How many operations had been done, those that change nothing included.
        package let operationCount: Int
        /// How many bytes of the write that came next were there already; nil if it, or whatever
        /// came next, had not begun.
        package let writtenByteCount: Int?
        let state: SimulatedState

        /// A disk of its own in that state.
        package var disk: SimulatedDisk { SimulatedDisk(state) }
    }

    /// Keeps from now on how the disk is before each operation that changes it, and at some points
    /// in the middle of each write.
    package func record() {
        state.withLock { $0.snapshots = [] }
    }

    /// What was recorded, and how the disk is now.
    package var snapshots: [DiskSnapshot] {
        state.withLock { ($0.snapshots ?? []) + [$0.snapshot(writtenByteCount: nil)] }
    }

    /// The operations that a fault has hit, as indices of `operations`.
    package var failures: [Int] { state.withLock { $0.failures } }

    /// How many sectors the writes have that are not durable.
    package var unsyncedSectorCount: Int { state.withLock { $0.unsyncedSectorCount } }

    /// The disk as a power cut may leave it that comes when all names and sizes have arrived, and
    /// of the `unsyncedSectorCount` sectors the nth if bit n is set.
    package func crashed(keepingSectors sectors: UInt64) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.crashed(.sectors(bits: sectors)) })
    }

    /// Equal for disks that nobody can tell apart, neither by reading nor after another crash,
    /// but for what stands in their free space.
    package var fingerprint: UInt64 { state.withLock { $0.fingerprint } }
}

extension SimulatedDisk.Kind {
    /// Whether it can make a difference to what a crash leaves.
    package var changesDisk: Bool {
        switch self {
        case .list, .status, .open, .read, .lock, .close: false
        case .makeDirectory, .removeDirectory, .create, .write, .preallocate, .truncate, .syncFile,
            .syncDirectory, .rename, .remove:
            true
        }
    }
}

extension SimulatedState {
    /// The disk as it is now, without its own past.
    func snapshot(writtenByteCount: Int?) -> SimulatedDisk.DiskSnapshot {
        var state = self
        state.snapshots = nil
        state.operations = []
        return SimulatedDisk.DiskSnapshot(
            operationCount: operations.count, writtenByteCount: writtenByteCount, state: state)
    }

    /// To be called before anything happens to the disk.
    mutating func recordMoment(before kind: SimulatedDisk.Kind) {
        guard snapshots != nil, kind.changesDisk else { return }
        let now = snapshot(writtenByteCount: nil)
        snapshots?.append(now)
    }

    /// To be called before bytes are written, with what has come of them at some points between.
    mutating func recordMoments(
        within bytes: UnsafeRawBufferPointer, to inode: Int, at position: Int
    ) {
        guard snapshots != nil, bytes.count > 1 else { return }
        let edges = stride(
            from: (position / Inode.sectorBytes + 1) * Inode.sectorBytes,
            to: position + bytes.count, by: Inode.sectorBytes)
        let counts = Set(edges.map { $0 - position } + [1, bytes.count / 2, bytes.count - 1])
        for count in counts.sorted() {
            var state = snapshot(writtenByteCount: nil).state
            state.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: inode, at: position)
            // The write itself is among the operations already, and is not done.
            snapshots?.append(
                SimulatedDisk.DiskSnapshot(
                    operationCount: operations.count - 1, writtenByteCount: count, state: state))
        }
    }

    var fingerprint: UInt64 {
        var hash = XXH64.hash(Array(bootID.utf8))
        func mix(_ bytes: [UInt8]) { hash = XXH64.hash(bytes, seed: hash) }
        func mix(_ names: [String: Int], _ content: (Inode) -> [UInt8]) {
            for (name, inode) in names.sorted(by: { $0.key < $1.key }) {
                mix(Array("\(name) ".utf8))
                mix(inodes[inode].map(content) ?? [])
            }
        }
        for directory in Directory.allCases where names[directory] != nil {
            mix(Array("directory \(directory.rawValue)".utf8))
            mix(names[directory]?.current ?? [:]) { $0.current }
        }
        guard unsyncedChangeCount > 0 else { return hash }
        for directory in Directory.allCases {
            mix(names[directory]?.durable ?? [:]) { $0.durable }
            let changes = (names[directory]?.lost ?? []) + (names[directory]?.unsynced ?? [])
            mix(Array(String(describing: changes).utf8))
        }
        for (number, inode) in inodes.sorted(by: { $0.key < $1.key }) {
            mix(Array("inode \(number): \(inode.unsynced)".utf8))
            mix(inode.durable)
            for write in inode.lost {
                mix(Array("lost \(write.range)".utf8))
                mix(Array(write.bytes))
            }
        }
        return hash
    }
}

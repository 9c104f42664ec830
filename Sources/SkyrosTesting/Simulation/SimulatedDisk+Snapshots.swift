import SkyrosDisk
import SkyrosLog

// Records a run: each snapshot is the disk before or within one operation, to crash at that point.

extension SimulatedDisk {
    /// The disk at one point of a recorded run.
    package struct DiskSnapshot: Sendable {
        /// The number of completed operations, including those that change nothing.
        package let operationCount: Int
        /// The number of bytes that the next write has already written; nil between operations.
        package let writtenByteCount: Int?
        let state: SimulatedState

        /// A new disk in that state.
        package var disk: SimulatedDisk { SimulatedDisk(state) }
    }

    /// A copy of all files in another directory, as `cp -r` makes it.
    package func copied() -> SimulatedDisk {
        var copy = state.withLock { $0.killed() }
        copy.directoryID += 1
        return SimulatedDisk(copy)
    }

    /// Starts recording: takes a snapshot before each operation that changes the disk, and at some
    /// points within each write.
    package func record() {
        state.withLock { $0.snapshots = [] }
    }

    /// The recorded snapshots, and one of the present state.
    package var snapshots: [DiskSnapshot] {
        state.withLock { ($0.snapshots ?? []) + [$0.snapshot(writtenByteCount: nil)] }
    }

    /// The operations that failed by a fault, as indices of `operations`.
    package var failures: [Int] { state.withLock { $0.failures } }

    /// The number of sectors in writes that are not durable.
    package var unsyncedSectorCount: Int { state.withLock { $0.unsyncedSectorCount } }

    /// The disk after a power cut that keeps all names and sizes, and of the `unsyncedSectorCount`
    /// sectors those with a set bit.
    package func crashed(keepingSectors sectors: UInt64) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.crashed(.sectors(bits: sectors)) })
    }

    /// Equal for disks that behave equally, when read and after another crash. Free space does not
    /// count.
    package var fingerprint: UInt64 { state.withLock { $0.fingerprint } }
}

extension SimulatedDisk.Kind {
    /// Whether the operation can change what a crash leaves.
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
    /// A snapshot of the present state, without recorded history.
    func snapshot(writtenByteCount: Int?) -> SimulatedDisk.DiskSnapshot {
        var state = self
        state.snapshots = nil
        state.operations = []
        return SimulatedDisk.DiskSnapshot(
            operationCount: operations.count, writtenByteCount: writtenByteCount, state: state)
    }

    /// Takes a snapshot before an operation, if one is recorded and it changes the disk.
    mutating func recordSnapshot(before kind: SimulatedDisk.Kind) {
        guard snapshots != nil, kind.changesDisk else { return }
        let now = snapshot(writtenByteCount: nil)
        snapshots?.append(now)
    }

    /// Takes snapshots in which a part of a write is done: at the edges of sectors, after the first
    /// byte, in the middle and before the last byte.
    mutating func recordPartialWrites(
        of bytes: UnsafeRawBufferPointer, to inode: Int, at position: Int
    ) {
        guard snapshots != nil, bytes.count > 1 else { return }
        let edges = stride(
            from: (position / Inode.sectorBytes + 1) * Inode.sectorBytes,
            to: position + bytes.count, by: Inode.sectorBytes)
        let counts = Set(edges.map { $0 - position } + [1, bytes.count / 2, bytes.count - 1])
        for count in counts.sorted() {
            var state = snapshot(writtenByteCount: nil).state
            state.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: inode, at: position)
            // `operations` already includes this write, which is not completed.
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

import SkyrosDisk

/// The state of a simulated disk.
struct SimulatedState: Sendable {
    /// A change to the names of a directory that is not durable yet.
    enum NameChange: Sendable {
        case set(String, Int)
        case remove(String)

        var name: String {
            switch self {
            case .set(let name, _), .remove(let name): name
            }
        }
    }

    /// The names of a directory.
    struct Names: Sendable {
        var current: [String: Int] = [:]
        var durable: [String: Int] = [:]
        var unsynced: [[NameChange]] = []
        /// Changes whose sync failed: later syncs do not write them.
        var lost: [[NameChange]] = []
    }

    /// The inode number of every directory in the root.
    static let directoryInode = 0

    /// Whether SQLite can use the disk.
    let hasCheckpoints: Bool
    var inodes: [Int: Inode] = [:]
    var names: [Directory: Names] = [.root: Names()]
    /// Whether changes are refused.
    var isSuspended = false
    /// The number of the lock that is held; nil if it is free.
    var heldLock: Int?
    var bootNumber = 1
    var bootID = "simulated boot 1"
    var directoryID: UInt64 = 1
    var operations: [SimulatedDisk.Operation] = []
    var faults: [Fault] = []
    /// The operations that failed by a fault, as indices of `operations`.
    var failures: [Int] = []
    /// The recorded snapshots; nil if the disk does not record.
    var snapshots: [SimulatedDisk.DiskSnapshot]?
    private var nextInode = 1
    private var lockCount = 0

    init(hasCheckpoints: Bool) {
        self.hasCheckpoints = hasCheckpoints
    }

    /// Records an operation; returns the fault that applies to it, or nil.
    mutating func begin(_ kind: SimulatedDisk.Kind, _ path: String) -> Fault? {
        recordSnapshot(before: kind)
        operations.append(SimulatedDisk.Operation(kind: kind, path: path))
        for index in faults.indices where faults[index].kind.map({ $0 == kind }) ?? true {
            if faults[index].after > 0 {
                faults[index].after -= 1
                continue
            }
            let fault = faults[index]
            if !fault.isLasting { faults.remove(at: index) }
            failures.append(operations.count - 1)
            return fault
        }
        return nil
    }

    /// Acquires the lock and returns its number; nil if it is held.
    mutating func acquireLock() -> Int? {
        guard heldLock == nil else { return nil }
        lockCount += 1
        heldLock = lockCount
        return lockCount
    }

    func inode(_ path: DiskPath) -> Int? { names[path.directory]?.current[path.name] }

    mutating func create(_ path: DiskPath) -> Int {
        let number = nextInode
        nextInode += 1
        inodes[number] = Inode(isJournal: path.name.hasSuffix("-journal"))
        change(path.directory, [.set(path.name, number)])
        return number
    }

    mutating func remove(_ path: DiskPath) {
        if inode(path) != nil { change(path.directory, [.remove(path.name)]) }
    }

    /// A rename within a directory is one change, and so atomic.
    mutating func rename(_ source: DiskPath, to target: DiskPath) -> Bool {
        guard let number = inode(source), exists(target.directory) else { return false }
        if source.directory == target.directory {
            change(source.directory, [.remove(source.name), .set(target.name, number)])
        } else {
            change(target.directory, [.set(target.name, number)])
            change(source.directory, [.remove(source.name)])
        }
        return true
    }

    mutating func makeDirectory(_ directory: Directory) {
        guard !exists(directory) else { return }
        change(.root, [.set(directory.rawValue, Self.directoryInode)])
        names[directory] = names[directory] ?? Names()
    }

    /// Returns false if the directory is not empty. Its names are kept, since a power cut may undo
    /// the removal.
    mutating func removeDirectory(_ directory: Directory) -> Bool {
        guard exists(directory) else { return true }
        guard names[directory]?.current.isEmpty == true else { return false }
        change(.root, [.remove(directory.rawValue)])
        return true
    }

    func exists(_ directory: Directory) -> Bool {
        directory == .root || names[.root]?.current[directory.rawValue] != nil
    }

    mutating func syncDirectory(_ directory: Directory) {
        guard var synced = names[directory] else { return }
        for changes in synced.unsynced {
            Self.apply(changes, to: &synced.durable)
            let rewritten = Set(changes.map(\.name))
            synced.lost = synced.lost.map { $0.filter { !rewritten.contains($0.name) } }
        }
        synced.unsynced = []
        names[directory] = synced
    }

    /// After a failed sync: later syncs do not write the unsynced changes; a crash may keep them.
    mutating func loseUnsynced(_ directory: Directory) {
        guard var clean = names[directory] else { return }
        clean.lost += clean.unsynced
        clean.unsynced = []
        names[directory] = clean
    }

    private mutating func change(_ directory: Directory, _ changes: [NameChange]) {
        guard var changed = names[directory] else { return }
        changed.unsynced.append(changes)
        Self.apply(changes, to: &changed.current)
        names[directory] = changed
    }

    static func apply(_ changes: [NameChange], to names: inout [String: Int]) {
        for change in changes {
            switch change {
            case .set(let name, let inode): names[name] = inode
            case .remove(let name): names[name] = nil
            }
        }
    }
}

/// A small deterministic random number generator.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func flip() -> Bool { next() & 1 == 1 }
}

import SkyrosDisk

/// A disk in memory for tests, with faults and power cuts that the test controls.
///
///     let disk = SimulatedDisk()
///     let store = try Store(on: disk, entities: Order.self)
///     try store.write(durability: .durable) { … }
///     let again = try Store(on: disk.crashed(seed: 7), entities: Order.self)   // a power cut
///
/// The content of a file is durable after the file was synced, a name after its directory was. A
/// power cut keeps or loses any unsynced change, in sectors of 512 bytes. A range that held nothing
/// durable may then hold zeros, garbage, or bytes of another file. After a failed sync the unsynced
/// content can be read until the power cut, which may keep any of it; no later sync makes it
/// durable, unless it is written again. This is intentionally harsher than real file systems.
///
/// SQLite uses the same disk through a VFS, so the checkpoint of a store also suffers torn writes,
/// lost writes and errors.
///
/// All behaviour is deterministic, except that SQLite writes random numbers to its journals. Safe
/// to use from any thread.
public final class SimulatedDisk: Sendable {
    /// The kinds of disk operations.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Creates a directory.
        case makeDirectory
        /// Removes an empty directory.
        case removeDirectory
        /// Lists the names of a directory.
        case list
        /// Reads the size of a file.
        case status
        /// Opens a file.
        case open
        /// Creates a file.
        case create
        /// Reads bytes.
        case read
        /// Writes bytes.
        case write
        /// Preallocates disk space for a file.
        case preallocate
        /// Truncates or extends a file.
        case truncate
        /// Makes the content of a file durable.
        case syncFile
        /// Makes the names of a directory durable.
        case syncDirectory
        /// Renames a file.
        case rename
        /// Removes a file.
        case remove
        /// Acquires the lock of the store.
        case lock
        /// Closes a file.
        case close
    }

    /// An operation that succeeded or failed.
    public struct Operation: Hashable, Sendable {
        /// The kind of operation.
        public let kind: Kind
        /// The file or directory, relative to the store's directory.
        public let path: String
    }

    let state: Locked<SimulatedState>
    /// The number of this disk in the paths that SQLite uses.
    let number: Int
    /// The locks of SQLite's connections. Locks belong to processes: a crash releases them.
    let databaseLocks = Locked(DatabaseLocks())

    /// Creates an empty disk.
    ///
    /// - Parameter hasCheckpoints: whether SQLite can use the disk. A store on a disk without
    ///   checkpoints folds its whole log at each opening, and makes fewer disk operations.
    public convenience init(hasCheckpoints: Bool = true) {
        self.init(SimulatedState(hasCheckpoints: hasCheckpoints))
    }

    init(_ state: sending SimulatedState) {
        self.state = Locked(state)
        number = Self.registry.withLock { $0.nextNumber() }
        Self.registry.withLock { [number] in $0.add(self, as: number) }
    }

    deinit {
        Self.registry.withLock { [number] in $0.remove(number) }
    }

    /// All operations so far, including failed ones.
    public var operations: [Operation] { state.withLock { $0.operations } }

    /// The number of operations of this kind so far, including failed ones.
    public func count(_ kind: Kind) -> Int {
        state.withLock { state in state.operations.count { $0.kind == kind } }
    }

    /// Makes a later operation fail; see `Fault`.
    public func inject(_ fault: Fault) {
        state.withLock { $0.faults.append(fault) }
    }

    /// Removes all faults.
    public func heal() {
        state.withLock { $0.faults = [] }
    }

    /// The disk after a kill of the process: it keeps everything that was written, and the lock is
    /// free.
    public func killed() -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.killed() })
    }

    /// The disk after a power cut: it keeps everything that was synced, and a random part of the
    /// other changes.
    public func crashed(seed: UInt64) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.crashed(.seeded(SplitMix64(seed: seed))) })
    }

    /// The disk after a power cut in which each of the `unsyncedChangeCount` changes survives
    /// completely or not at all: change n survives if bit n of `changes` is set.
    public func crashed(keeping changes: UInt64) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.crashed(.chosen(bits: changes, isKept: false)) })
    }

    /// The number of changes to names, sizes and contents that are not durable.
    public var unsyncedChangeCount: Int { state.withLock { $0.unsyncedChangeCount } }

    /// Sets the boot id of the simulated machine; a power cut sets a new one.
    public func nameBoot(_ id: String) {
        state.withLock { $0.bootID = id }
    }

    /// The contents of all files by path.
    public var contents: [String: [UInt8]] { state.withLock { $0.contents } }

    /// Replaces the content of a file durably, or creates it: for simulating damage.
    public func overwrite(_ path: String, with bytes: [UInt8]) {
        state.withLock { $0.overwrite(path, with: bytes) }
    }

    /// Removes a file durably: for simulating damage.
    public func erase(_ path: String) {
        state.withLock { $0.erase(path) }
    }
}

/// A fault of a simulated disk: it makes one operation fail, or all from one on.
public struct Fault: Hashable, Sendable {
    /// The error of a failed operation.
    public enum Reason: Hashable, Sendable {
        /// The disk is full.
        case noSpace
        /// The device reports an error (EIO).
        case inputOutput
        /// Another `errno` of the system.
        case system(Int32)
    }

    /// The kind of operation; nil for any.
    public var kind: SimulatedDisk.Kind?
    /// The number of operations of that kind that succeed first.
    public var after: Int
    /// The error of the failed operation.
    public var reason: Reason
    /// Whether all later operations of that kind fail too.
    public var isLasting: Bool
    /// The number of bytes that a failing write still writes.
    public var writtenBytes: Int

    /// Creates a fault.
    public init(
        _ kind: SimulatedDisk.Kind?, after: Int = 0, reason: Reason = .inputOutput,
        isLasting: Bool = false, writtenBytes: Int = 0
    ) {
        self.kind = kind
        self.after = after
        self.reason = reason
        self.isLasting = isLasting
        self.writtenBytes = writtenBytes
    }
}

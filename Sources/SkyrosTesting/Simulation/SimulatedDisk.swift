import SkyrosDisk

/// A disk in memory that can fail and crash on purpose, for tests.
///
///     let disk = SimulatedDisk()
///     let store = try Store(on: disk, entities: Order.self)
///     try store.write(durability: .durable) { … }
///     let again = try Store(on: disk.crashed(seed: 7), entities: Order.self)   // a power cut
///
/// It keeps apart what is durable and what is not: a file's content is durable once the file was
/// synced, a name once its directory was. A power cut keeps any of the rest and loses any of it, in
/// pieces of 512 bytes; what stands where nothing durable stood may be zeros, garbage, or the
/// bytes of another file. What a failed sync did not make durable can be read until the power
/// cut, which keeps any of it, and no later sync makes it durable unless it is written again. That
/// is harsher than real file systems, on purpose.
///
/// SQLite reaches its files through this disk too, so the checkpoint of a store is written, torn,
/// lost and failed as the log is.
///
/// Everything it does follows from what it is asked and from the seeds, with one exception: SQLite
/// writes random numbers to its journals. It may be used from any thread.
public final class SimulatedDisk: Sendable {
    /// What a disk can be asked to do.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A directory is made.
        case makeDirectory
        /// An empty directory is removed.
        case removeDirectory
        /// The names of a directory are read.
        case list
        /// The size of a file is asked for.
        case status
        /// A file is opened.
        case open
        /// A file is made.
        case create
        /// Bytes are read.
        case read
        /// Bytes are written.
        case write
        /// Room is made in advance.
        case preallocate
        /// A file is cut or extended.
        case truncate
        /// The content of a file is made durable.
        case syncFile
        /// The names of a directory are made durable.
        case syncDirectory
        /// A file gets another name.
        case rename
        /// A file is removed.
        case remove
        /// The lock is taken.
        case lock
        /// A file is given back.
        case close
    }

    /// One thing that was done, or tried.
    public struct Operation: Hashable, Sendable {
        /// What was asked for.
        public let kind: Kind
        /// On what, relative to the store's directory.
        public let path: String
    }

    let state: Locked<SimulatedState>
    /// What SQLite finds this disk by.
    let number: Int
    /// The locks of SQLite's connections. They are the processes', so no copy of the disk has them.
    let databaseLocks = Locked(DatabaseLocks())

    /// An empty disk.
    ///
    /// - Parameter hasCheckpoints: whether SQLite reaches its files. A store on a disk without
    ///   checkpoints folds its whole log at each opening, and asks the disk for less.
    public convenience init(hasCheckpoints: Bool = true) {
        self.init(SimulatedState(hasCheckpoints: hasCheckpoints))
    }

    init(_ state: sending SimulatedState) {
        self.state = Locked(state)
        number = Self.known.withLock { $0.nextNumber() }
        Self.known.withLock { [number] in $0.note(self, as: number) }
    }

    deinit {
        Self.known.withLock { [number] in $0.forget(number) }
    }

    /// Everything that was done so far, failures included.
    public var operations: [Operation] { state.withLock { $0.operations } }

    /// How often this was done so far.
    public func count(_ kind: Kind) -> Int {
        state.withLock { state in state.operations.count { $0.kind == kind } }
    }

    /// Makes an operation fail; see `Fault`.
    public func inject(_ fault: Fault) {
        state.withLock { $0.faults.append(fault) }
    }

    /// Takes back all faults.
    public func heal() {
        state.withLock { $0.faults = [] }
    }

    /// The disk as it is after the process was killed: all that was written is there, the lock
    /// is free.
    public func killed() -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.killed() })
    }

    /// The disk as a power cut may leave it: what was synced, and any part of the rest.
    public func crashed(seed: UInt64) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.crashed(.chance(SplitMix64(seed: seed))) })
    }

    /// The disk as a power cut may leave it, one of the 2ⁿ outcomes in which each of the
    /// `unsyncedChangeCount` changes survives whole or not at all: the nth survives if bit n is
    /// set.
    public func crashed(keeping changes: UInt64) -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0.crashed(.chosen(bits: changes, isKept: false)) })
    }

    /// How many changes to names, sizes and contents are not durable.
    public var unsyncedChangeCount: Int { state.withLock { $0.unsyncedChangeCount } }

    /// Lets the machine call its present boot by another name; a power cut gives a new one.
    public func nameBoot(_ id: String) {
        state.withLock { $0.bootID = id }
    }

    /// The contents of all files, by their paths.
    public var contents: [String: [UInt8]] { state.withLock { $0.contents } }

    /// Replaces the content of a file, durably: damage from outside.
    public func overwrite(_ path: String, with bytes: [UInt8]) {
        state.withLock { $0.overwrite(path, with: bytes) }
    }

    /// Removes a file, durably: damage from outside.
    public func erase(_ path: String) {
        state.withLock { $0.erase(path) }
    }
}

/// Makes an operation of a simulated disk fail.
public struct Fault: Hashable, Sendable {
    /// Why the operation fails.
    public enum Reason: Hashable, Sendable {
        /// The disk is full.
        case noSpace
        /// The medium has an error.
        case inputOutput
        /// Another of the system's error numbers.
        case system(Int32)
    }

    /// The kind of operation; nil for any.
    public var kind: SimulatedDisk.Kind?
    /// How many operations of that kind succeed first.
    public var after: Int
    /// Why it fails.
    public var reason: Reason
    /// Whether all later ones of that kind fail too.
    public var isLasting: Bool
    /// How many bytes a failing write gets done.
    public var writtenBytes: Int

    /// A fault with these properties.
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

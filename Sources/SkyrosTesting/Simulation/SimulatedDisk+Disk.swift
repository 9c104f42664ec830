package import SkyrosDisk

extension SimulatedDisk: Disk {
    package var bootID: String { state.withLock { $0.bootID } }

    package var directoryID: UInt64? { state.withLock { $0.directoryID } }

    package var systemPath: String? { nil }

    package func makeDirectory(_ directory: Directory) throws(DiskError) {
        try perform(.makeDirectory, .makeDirectory, directory.rawValue) {
            $0.makeDirectory(directory)
        }
    }

    package func removeDirectory(_ directory: Directory) throws(DiskError) {
        precondition(directory != .root, "the root directory cannot be removed")
        try perform(.removeDirectory, .removeDirectory, directory.rawValue) {
            state throws(DiskError) in
            guard state.removeDirectory(directory) else {
                throw DiskError(.removeDirectory, directory.rawValue, .system(System.notEmpty))
            }
        }
    }

    package func list(_ directory: Directory) throws(DiskError) -> [String] {
        try perform(.list, .list, directory.rawValue) { state in
            (state.names[directory]?.current.keys).map { $0.sorted() } ?? []
        }
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        try perform(.status, .status, path.description) { state throws(DiskError) in
            try state.checkIsNoDirectory(path, .status)
            return state.inode(path).map { state.status($0) }
        }
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        let kind: Kind = mode == .create ? .create : .open
        let inode = try perform(kind, .open, path.description) { state throws(DiskError) in
            try state.checkIsNoDirectory(path, .open)
            let creates = mode == .create && state.exists(path.directory)
            let inode = creates ? state.create(path) : state.inode(path)
            guard let inode else { throw DiskError(.open, path, .system(System.notFound)) }
            return inode
        }
        return SimulatedFile(self, path, inode)
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try perform(.rename, .rename, target.description) { state throws(DiskError) in
            try state.checkIsNoDirectory(source, .rename)
            try state.checkIsNoDirectory(target, .rename)
            guard state.rename(source, to: target) else {
                throw DiskError(.rename, source, .system(System.notFound))
            }
        }
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        try perform(.remove, .remove, path.description) { state throws(DiskError) in
            try state.checkIsNoDirectory(path, .remove)
            state.remove(path)
        }
    }

    package func syncDirectory(_ directory: Directory) throws(DiskError) {
        try perform(.syncDirectory, .syncDirectory, directory.rawValue) { state, _ in
            state.loseUnsynced(directory)
        } _: { state throws(DiskError) in
            guard state.exists(directory) else {
                throw DiskError(.syncDirectory, directory.rawValue, .system(System.notFound))
            }
            state.syncDirectory(directory)
        }
    }

    package func lock() throws(DiskError) -> any DiskLock {
        let number = try perform(.lock, .lock, "lock") { state throws(DiskError) in
            guard let number = state.acquireLock() else {
                throw DiskError(.lock, "lock", .locked(holder: "this process"))
            }
            return number
        }
        return SimulatedLock(disk: self, number: number)
    }

    /// Locks belong to processes, so those of SQLite's connections end too.
    package func suspend() {
        state.withLock { $0.isSuspended = true }
        databaseLocks.withLock { $0.releaseAll() }
    }

    package func resume() {
        state.withLock { $0.isSuspended = false }
    }

    /// Performs an operation, or fails it if a fault applies.
    func perform<R>(
        _ kind: Kind, _ operation: DiskError.Operation, _ path: String,
        failing: (inout SimulatedState, Fault) -> Void = { _, _ in },
        _ body: (inout SimulatedState) throws(DiskError) -> R
    ) throws(DiskError) -> R {
        let result: Result<R, DiskError> = withState { state in
            if state.isSuspended, kind.changesDisk {
                return .failure(DiskError(operation, path, .suspended))
            }
            guard let fault = state.begin(kind, path) else {
                return Result { () throws(DiskError) in try body(&state) }
            }
            failing(&state, fault)
            return .failure(DiskError(operation, path, .system(fault.reason.code)))
        }
        return try result.get()
    }

    private func withState<R>(_ body: (inout SimulatedState) -> R) -> R {
        var result: R?
        state.withLock { state in
            // R shares nothing with the state, which the compiler cannot prove.
            nonisolated(unsafe) let value = body(&state)
            result = value
        }
        guard let result else { preconditionFailure("a lock runs its body once") }
        return result
    }
}

extension Fault.Reason {
    fileprivate var code: Int32 {
        switch self {
        case .noSpace: System.noSpace
        case .inputOutput: System.inputOutput
        case .system(let code): code
        }
    }
}

extension SimulatedState {
    func status(_ inode: Int) -> FileStatus {
        FileStatus(sizeBytes: inodes[inode]?.current.count ?? 0, identity: UInt64(inode))
    }

    fileprivate func checkIsNoDirectory(
        _ path: DiskPath, _ operation: DiskError.Operation
    ) throws(DiskError) {
        if inode(path) == Self.directoryInode { throw DiskError(operation, path, .notAFile) }
    }
}

private struct SimulatedLock: DiskLock {
    let disk: SimulatedDisk
    let number: Int

    func release() {
        disk.state.withLock { if $0.heldLock == number { $0.heldLock = nil } }
    }
}

private final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    private let place: Locked<DiskPath>
    private let inode: Int

    private var path: String { place.withLock { $0.description } }

    init(_ disk: SimulatedDisk, _ place: DiskPath, _ inode: Int) {
        self.disk = disk
        self.place = Locked(place)
        self.inode = inode
    }

    func wasRenamed(to name: String) {
        place.withLock { $0 = DiskPath($0.directory, name) }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at position: Int
    ) throws(DiskError) -> Int {
        let bytes = try disk.perform(.read, .read, path) { [inode] state -> ArraySlice<UInt8> in
            let content = state.inodes[inode]?.current ?? []
            let start = min(position, content.count)
            return content[start..<min(start + buffer.count, content.count)]
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
        try disk.perform(.write, .write, path) { [inode] state, fault in
            let count = min(fault.writtenBytes, bytes.count)
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
            state.write(part, to: inode, at: position)
        } _: { [inode] state in
            state.recordPartialWrites(of: bytes, to: inode, at: position)
            state.write(bytes, to: inode, at: position)
        }
    }

    func status() throws(DiskError) -> FileStatus {
        try disk.perform(.status, .status, path) { [inode] in $0.status(inode) }
    }

    func preallocate(to size: Int) throws(DiskError) {
        try disk.perform(.preallocate, .preallocate, path) { [inode] state in
            state.resize(inode, to: max(size, state.status(inode).sizeBytes))
        }
    }

    func truncate(to size: Int) throws(DiskError) {
        try disk.perform(.truncate, .truncate, path) { [inode] in $0.resize(inode, to: size) }
    }

    /// A failed sync marks the pages as clean: they can be read until the crash, but a later sync
    /// only writes those that were written to again.
    ///
    /// Source: Rebello et al., "Can applications recover from fsync failures?", USENIX ATC 2020.
    func sync() throws(DiskError) {
        try disk.perform(.syncFile, .syncFile, path) { [inode] state, _ in
            state.loseUnsynced(inode)
        } _: { [inode] state in
            state.syncFile(inode)
        }
    }

    func close() throws(DiskError) {
        try disk.perform(.close, .close, path) { _ in }
    }
}

/// A disk in memory. It fails only where every disk does: on missing names, on names of
/// directories, and on a lock that is held.
package final class MemoryDisk: Disk {
    private struct State {
        var directories: Set<Directory> = [.root]
        var files: [DiskPath: MemoryFile] = [:]
        var fileCount: UInt64 = 0
        var lockCount = 0
        /// The number of the lock that is held; nil if none is.
        var heldLock: Int?
    }

    private let state = Locked(State())

    package init() {}

    package var bootID: String { "memory" }
    package var systemPath: String? { nil }

    package func makeDirectory(_ directory: Directory) {
        state.withLock { _ = $0.directories.insert(directory) }
    }

    package func removeDirectory(_ directory: Directory) throws(DiskError) {
        precondition(directory != .root, "A store's directory is never removed.")
        let isEmpty = state.withLock { state in
            let isEmpty = !state.files.keys.contains { $0.directory == directory }
            if isEmpty { state.directories.remove(directory) }
            return isEmpty
        }
        if !isEmpty {
            throw DiskError(.removeDirectory, directory.rawValue, .system(System.notEmpty))
        }
    }

    package func list(_ directory: Directory) -> [String] {
        state.withLock { state in
            let files = state.files.keys.filter { $0.directory == directory }.map(\.name)
            let directories = state.directories.filter { directory == .root && $0 != .root }.map(
                \.rawValue)
            return (files + directories).sorted()
        }
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        try checkIsNoDirectory(path, .status)
        return state.withLock { $0.files[path] }?.status()
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        try checkIsNoDirectory(path, .open)
        let file = state.withLock { state in
            if mode == .create, state.directories.contains(path.directory) {
                state.fileCount += 1
                state.files[path] = MemoryFile(identity: state.fileCount)
            }
            return state.files[path]
        }
        guard let file else { throw DiskError(.open, path, .system(System.notFound)) }
        return file
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try checkIsNoDirectory(source, .rename)
        try checkIsNoDirectory(target, .rename)
        let isDone = state.withLock { state in
            guard state.directories.contains(target.directory),
                let file = state.files.removeValue(forKey: source)
            else { return false }
            state.files[target] = file
            return true
        }
        if !isDone { throw DiskError(.rename, source, .system(System.notFound)) }
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        try checkIsNoDirectory(path, .remove)
        state.withLock { $0.files[path] = nil }
    }

    package func syncDirectory(_ directory: Directory) throws(DiskError) {
        let isThere = state.withLock { $0.directories.contains(directory) }
        if !isThere {
            throw DiskError(.syncDirectory, directory.rawValue, .system(System.notFound))
        }
    }

    package func lock() throws(DiskError) -> any DiskLock {
        let number: Int? = state.withLock { state in
            guard state.heldLock == nil else { return nil }
            state.lockCount += 1
            state.heldLock = state.lockCount
            return state.lockCount
        }
        guard let number else { throw DiskError(.lock, "lock", .locked(holder: "this process")) }
        return MemoryLock(disk: self, number: number)
    }

    fileprivate func release(lock number: Int) {
        state.withLock { if $0.heldLock == number { $0.heldLock = nil } }
    }

    private func checkIsNoDirectory(
        _ path: DiskPath, _ operation: DiskError.Operation
    ) throws(DiskError) {
        let isDirectory = state.withLock { state in
            path.directory == .root && state.directories.contains { $0.rawValue == path.name }
        }
        if isDirectory { throw DiskError(operation, path, .notAFile) }
    }
}

private final class MemoryFile: DiskFile {
    private struct Content {
        var bytes: [UInt8] = []
        /// At least the count of `bytes`. The rest was preallocated, reads as zeros and takes no
        /// memory.
        var sizeBytes = 0
    }

    private let content = Locked(Content())
    private let identity: UInt64

    init(identity: UInt64) {
        self.identity = identity
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) -> Int {
        content.withLock { content in
            let count = max(0, min(buffer.count, content.sizeBytes - position))
            let written = content.bytes.dropFirst(position).prefix(count)
            buffer.copyBytes(from: written)
            UnsafeMutableRawBufferPointer(rebasing: buffer[written.count..<count])
                .initializeMemory(as: UInt8.self, repeating: 0)
            return count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        guard !bytes.isEmpty else { return }
        content.withLock { content in
            let missing = position + bytes.count - content.bytes.count
            if missing > 0 { content.bytes.append(contentsOf: repeatElement(0, count: missing)) }
            content.bytes.withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[position...]).copyMemory(from: bytes)
            }
            content.sizeBytes = max(content.sizeBytes, content.bytes.count)
        }
    }

    func status() -> FileStatus {
        FileStatus(sizeBytes: content.withLock { $0.sizeBytes }, identity: identity)
    }

    func preallocate(to size: Int) {
        content.withLock { $0.sizeBytes = max($0.sizeBytes, size) }
    }

    func truncate(to size: Int) {
        content.withLock { content in
            content.bytes.removeLast(max(0, content.bytes.count - size))
            content.sizeBytes = size
        }
    }

    func sync() {}
    func close() {}
}

private struct MemoryLock: DiskLock {
    let disk: MemoryDisk
    let number: Int

    func release() {
        disk.release(lock: number)
    }
}

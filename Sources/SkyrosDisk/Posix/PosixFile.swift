import Synchronization

/// An open regular file of the operating system.
///
/// The descriptor stays open from the first write to the last sync, because some systems report
/// a failed write-back only to a descriptor that was open when it happened.
final class PosixFile: DiskFile {
    private let descriptor: Int32
    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    private let isOpen = Atomic(true)
    private let opener = ForkGuard()
    /// Whether the file has grown by preallocation since the last sync began.
    private let hasNewRoom = Atomic(false)
    private let directoryPath: String
    private let name: Locked<String>

    /// What errors name.
    private var path: String { "\(directoryPath)/\(name.withLock { $0 })" }

    init(_ path: DiskPath, _ mode: OpenMode, in directory: PosixDirectory) throws(DiskError) {
        directoryPath = directory.path
        name = Locked(path.name)
        // Checked before it is stored: once all properties are set, an initializer that throws
        // runs `deinit`, which would close the descriptor a second time.
        let shown = "\(directory.path)/\(path.name)"
        descriptor = try Self.open(path.name, mode, in: directory.descriptor, shown)
    }

    private static func open(
        _ name: String, _ mode: OpenMode, in directory: Int32, _ shown: String
    ) throws(DiskError) -> Int32 {
        let descriptor =
            switch mode {
            case .read: try System.open(name, in: directory, System.readFlags, .open, shown)
            case .readWrite:
                try System.open(name, in: directory, System.readWriteFlags, .open, shown)
            case .create: try System.create(name, in: directory, shown)
            }
        do throws(DiskError) {
            _ = try System.checkedStatus(descriptor, shown)
        } catch {
            System.close(descriptor)
            throw error
        }
        return descriptor
    }

    deinit {
        try? close()
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at position: Int
    ) throws(DiskError) -> Int {
        try requireOpen(.read)
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            switch System.read(descriptor, rest, position + count) {
            case .success(0): return count
            case .success(let more): count += more
            case .failure(System.interrupted): continue
            case .failure(let code): throw DiskError(.read, path, .system(code.rawValue))
            }
        }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
        try write(bytes, at: position, for: .write)
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, at position: Int, for operation: DiskError.Operation
    ) throws(DiskError) {
        try requireOwn(operation)
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            switch System.write(descriptor, rest, position + count) {
            case .success(0): throw DiskError(operation, path, .system(System.inputOutput))
            case .success(let more): count += more
            case .failure(System.interrupted): continue
            case .failure(let code): throw DiskError(operation, path, .system(code.rawValue))
            }
        }
    }

    func status() throws(DiskError) -> FileStatus {
        try requireOpen(.status)
        return try System.checkedStatus(descriptor, path)
    }

    /// Writes zeros. Room that is only reserved costs a commit of the file system's journal at each
    /// sync of what is written there, and a sync that such a commit fails may report success.
    ///
    /// Source: docs/decisions/0014-preallocation-writes-zeros.md.
    func preallocate(to size: Int) throws(DiskError) {
        try requireOwn(.preallocate)
        var end = try System.checkedStatus(descriptor, path).sizeBytes
        guard end < size else { return }
        while end < size {
            let count = min(size - end, Self.zeros.count)
            let result = Self.zeros.withUnsafeBytes { zeros in
                let some = UnsafeRawBufferPointer(rebasing: zeros.prefix(count))
                return Result { () throws(DiskError) in
                    try write(some, at: end, for: .preallocate)
                }
            }
            try result.get()
            end += count
        }
        hasNewRoom.store(true, ordering: .releasing)
    }

    func truncate(to size: Int) throws(DiskError) {
        try requireOwn(.truncate)
        let code = System.truncate(descriptor, to: size)
        if code != 0 { throw DiskError(.truncate, path, .system(code)) }
    }

    func sync() throws(DiskError) {
        try requireOwn(.syncFile)
        // Only with new room has the file system's journal a part in the sync.
        let isToBeConfirmed = hasNewRoom.exchange(false, ordering: .acquiring)
        var code = System.syncData(descriptor)
        if code == 0, isToBeConfirmed { code = System.confirmSync(descriptor) }
        if code != 0 { throw DiskError(.syncFile, path, .system(code)) }
    }

    /// A closed descriptor's number may be another file's by now, which must not be written to.
    private func requireOpen(_ operation: DiskError.Operation) throws(DiskError) {
        guard isOpen.load(ordering: .relaxed) else {
            throw DiskError(operation, path, .system(System.badDescriptor))
        }
    }

    /// A copy of the process may read, and must not change what the other one is writing.
    private func requireOwn(_ operation: DiskError.Operation) throws(DiskError) {
        try requireOpen(operation)
        try opener.check(operation, path)
    }

    func close() throws(DiskError) {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        let code = System.close(descriptor)
        if code != 0 { throw DiskError(.close, path, .system(code)) }
    }

    func wasRenamed(to name: String) {
        self.name.withLock { $0 = name }
    }
}

import SkyrosPlatform
import Synchronization

/// An open regular file of the operating system.
///
/// The descriptor stays open from the first write to the last sync: some systems report a failed
/// write-back only to descriptors that were open when it failed.
final class PosixFile: DiskFile {
    let descriptor: Int32
    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    private let isOpen = Atomic(true)
    private let opener = ForkGuard()
    /// Whether the file was preallocated since the last sync began.
    private let wasPreallocated = Atomic(false)
    private let directoryPath: String
    private let name: Locked<String>
    /// The directory, for a file that may be written: a sync looks for the file there.
    private let directory: PosixDirectory?
    private let identity: System.FileIdentity
    /// Passes every change of the file.
    private let gate: ChangeGate

    /// The path that errors show.
    private var path: String { "\(directoryPath)/\(name.withLock { $0 })" }

    init(
        _ path: DiskPath, _ mode: OpenMode, in directory: PosixDirectory, _ gate: ChangeGate
    ) throws(DiskError) {
        self.gate = gate
        directoryPath = directory.path
        self.directory = mode == .read ? nil : directory
        name = Locked(path.name)
        // `open` checks the file before the last property is set: after that, an initializer that
        // throws runs `deinit`, which would close the descriptor a second time.
        (descriptor, identity) = try Self.open(path.name, mode, in: directory)
    }

    private static func open(
        _ name: String, _ mode: OpenMode, in directory: PosixDirectory
    ) throws(DiskError) -> (Int32, System.FileIdentity) {
        let path = directory.path(of: name)
        let descriptor =
            switch mode {
            case .read, .readWrite:
                try System.open(
                    name, in: directory.descriptor,
                    mode == .read ? System.readFlags : System.readWriteFlags, .open, path)
            case .create: try System.create(name, in: directory)
            }
        do throws(DiskError) {
            _ = try System.checkedStatus(descriptor, path)
            return (descriptor, try System.identity(descriptor, path))
        } catch {
            System.closeFile(descriptor)
            throw error
        }
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
        try change(.write) { () throws(DiskError) in try write(bytes, at: position, for: .write) }
    }

    /// Runs `body`, which changes the file, unless the disk is suspended.
    private func change(
        _ operation: DiskError.Operation, _ body: () throws(DiskError) -> Void
    ) throws(DiskError) {
        guard try gate.pass(body) != nil else { throw DiskError(operation, path, .suspended) }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, at position: Int, for operation: DiskError.Operation
    ) throws(DiskError) {
        try requireOwner(operation)
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

    func forgetCache() {
        if isOpen.load(ordering: .acquiring) { Platform.forgetCache(of: descriptor) }
    }

    func status() throws(DiskError) -> FileStatus {
        try requireOpen(.status)
        return try System.checkedStatus(descriptor, path)
    }

    /// Preallocates by writing zeros. A sync of data in space that is only reserved commits the
    /// file system's journal, and may report success although that commit failed.
    ///
    /// Source: docs/decisions/0014-preallocate-by-writing-zeros.md.
    func preallocate(to size: Int) throws(DiskError) {
        try requireOwner(.preallocate)
        try change(.preallocate) { () throws(DiskError) in try appendZeros(to: size) }
    }

    private func appendZeros(to size: Int) throws(DiskError) {
        var end = try System.checkedStatus(descriptor, path).sizeBytes
        guard end < size else { return }
        while end < size {
            let count = min(size - end, Self.zeros.count)
            try Self.zeros.withUnsafeBufferPointer { zeros throws(DiskError) in
                let some = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: zeros[..<count]))
                try write(some, at: end, for: .preallocate)
            }
            end += count
        }
        wasPreallocated.store(true, ordering: .releasing)
    }

    func truncate(to size: Int) throws(DiskError) {
        try requireOwner(.truncate)
        try change(.truncate) { () throws(DiskError) in
            let code = System.truncate(descriptor, to: size)
            if code != 0 { throw DiskError(.truncate, path, .system(code)) }
        }
    }

    func sync() throws(DiskError) {
        try requireOwner(.syncFile)
        // Not under the gate, which must not wait for it.
        if gate.isClosed { throw DiskError(.syncFile, path, .suspended) }
        // The sync depends on the file system's journal only after the file has grown.
        let needsConfirmation = wasPreallocated.exchange(false, ordering: .acquiring)
        var code = Platform.syncData(descriptor)
        if code == 0, needsConfirmation, gate.isClosed {
            throw DiskError(.syncFile, path, .suspended)
        }
        if code == 0, needsConfirmation { code = Platform.confirmSync(descriptor) }
        if code != 0 { throw DiskError(.syncFile, path, .system(code)) }
        try checkName()
    }

    /// Throws unless the file still has its name: bytes in a file that was removed or replaced are
    /// as good as lost, however durable they are.
    ///
    /// It costs half a microsecond, beside a sync of at least 50.
    private func checkName() throws(DiskError) {
        guard let directory else { return }
        let found = name.withLock { System.identity(ofFileNamed: $0, in: directory) }
        guard found == identity else {
            // Another process may have rewritten the log since.
            if gate.isClosed { throw DiskError(.syncFile, path, .suspended) }
            let why = "it was removed, renamed or replaced while it was open"
            throw DiskError(.syncFile, path, .insecure(why))
        }
    }

    /// The number of a closed descriptor may belong to another file.
    private func requireOpen(_ operation: DiskError.Operation) throws(DiskError) {
        guard isOpen.load(ordering: .relaxed) else {
            throw DiskError(operation, path, .system(System.badDescriptor))
        }
    }

    /// A forked child may read, but not change what its parent is writing.
    private func requireOwner(_ operation: DiskError.Operation) throws(DiskError) {
        try requireOpen(operation)
        try opener.check(operation, path)
    }

    func close() throws(DiskError) {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        let code = System.closeFile(descriptor)
        if code != 0 { throw DiskError(.close, path, .system(code)) }
    }

    func wasRenamed(to name: String) {
        self.name.withLock { $0 = name }
    }
}

/// The store's lock: `flock` on the file `lock`, and a registry in this process.
///
/// The lock decides; the file's content only lets an error name the holder. Only the holder removes
/// the file, as the last one of a store that is erased. So that two processes never hold locks on
/// different files, a lock counts only if the name still leads to its file. `fcntl` locks are
/// unsuitable: any close of the file in the process drops them. The registry refuses a second
/// opening by this process on systems whose `flock` does not.
final class PosixLock: DiskLock {
    /// The directories that this process has locked, by device and inode.
    private static let held = Locked<Set<System.FileIdentity>>([])

    /// How often a file is opened again that was removed before it was locked.
    private static let attemptsMax = 100

    private let directory: PosixDirectory
    private let identity: System.FileIdentity
    private let path: String
    private let owner = ForkGuard()
    /// The open lock file; nil once released.
    private let descriptor: Locked<Int32?>

    init(in directory: PosixDirectory) throws(DiskError) {
        self.directory = directory
        path = "\(directory.path)/lock"
        identity = try System.identity(directory.descriptor, path)
        let isNew = Self.held.withLock { [identity] in $0.insert(identity).inserted }
        guard isNew else {
            throw DiskError(.lock, path, .locked(holder: "this process"))
        }
        do throws(DiskError) {
            descriptor = Locked(try Self.take(path, in: directory))
        } catch {
            Self.held.withLock { [identity] in _ = $0.remove(identity) }
            throw error
        }
    }

    deinit {
        release()
    }

    func check() throws(DiskError) {
        try owner.check(.lock, path)
    }

    func removeFile() throws(DiskError) {
        try check()
        try System.remove("lock", in: directory)
    }

    func release() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let open else { return }
        // A forked child shares the lock, and must not release it.
        if owner.isCurrent { System.unlock(open) }
        System.closeFile(open)
        Self.held.withLock { [identity] in _ = $0.remove(identity) }
    }

    private static func take(
        _ path: String, in directory: PosixDirectory
    ) throws(DiskError) -> Int32 {
        for _ in 0..<attemptsMax {
            if let descriptor = try takeNamed(path, in: directory) { return descriptor }
        }
        throw DiskError(.lock, path, .locked(holder: "processes that remove it"))
    }

    /// Locks the file; nil if it was removed meanwhile.
    private static func takeNamed(
        _ path: String, in directory: PosixDirectory
    ) throws(DiskError) -> Int32? {
        let flags = System.lockFileFlags
        let descriptor = try System.open("lock", in: directory.descriptor, flags, .lock, path)
        do throws(DiskError) {
            _ = try System.checkedStatus(descriptor, path)
            let code = System.tryLock(descriptor)
            if code == System.wouldBlock {
                let holder = System.text(of: descriptor)
                throw DiskError(
                    .lock, path, .locked(holder: holder.isEmpty ? "another process" : holder))
            }
            if code != 0 { throw DiskError(.lock, path, .system(code)) }
            let named = System.identity(ofFileNamed: "lock", in: directory)
            guard try named == System.identity(descriptor, path) else {
                System.closeFile(descriptor)
                return nil
            }
            try System.keepPrivate(descriptor, path)
            System.replaceText(of: descriptor, by: "process \(System.processID)\n")
            return descriptor
        } catch {
            System.closeFile(descriptor)
            throw error
        }
    }
}

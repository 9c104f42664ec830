/// The store's lock: `flock` on the file `lock`, and a registry in this process.
///
/// The lock decides; the file's content only lets an error name the holder. The file is never
/// removed, or two processes could each hold a lock on a different file. `fcntl` locks are
/// unsuitable: any close of the file in the process drops them. The registry refuses a second
/// opening by this process on systems whose `flock` does not.
final class PosixLock: DiskLock {
    /// The directories that this process has locked, by device and inode.
    private static let held = Locked<Set<System.FileIdentity>>([])

    private let identity: System.FileIdentity
    private let path: String
    private let owner = ForkGuard()
    /// The open lock file; nil once released.
    private let descriptor: Locked<Int32?>

    init(in directory: PosixDirectory) throws(DiskError) {
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

    private static func take(_ path: String, in directory: PosixDirectory) throws(DiskError)
        -> Int32
    {
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
            try System.keepPrivate(descriptor, path)
            System.replaceText(of: descriptor, by: "process \(System.processID)\n")
            return descriptor
        } catch {
            System.closeFile(descriptor)
            throw error
        }
    }
}

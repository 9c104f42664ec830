/// The store's lock: `flock` on a file of its own, and a register of this process.
///
/// The lock is the truth; the file's content only lets an error name the holder. The file is
/// never removed, or two processes could hold "the" lock on two files. `fcntl` locks are of no
/// use here: any close of the file anywhere in the process drops them. The register catches
/// a second open by the same process on systems where `flock` would not.
final class PosixLock: DiskLock {
    /// The directories that this process holds, by device and inode.
    private static let held = Locked<Set<System.FileIdentity>>([])

    private let identity: System.FileIdentity
    private let path: String
    private let taker = ForkGuard()
    /// Nil once released.
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
        try taker.check(.lock, path)
    }

    func release() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let open else { return }
        // A copy of the process shares the lock, which is not its own to give back.
        if taker.isCurrent { System.unlock(open) }
        System.close(open)
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
            System.close(descriptor)
            throw error
        }
    }
}

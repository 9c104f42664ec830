import CSQLite
import SkyrosDisk

/// A file that SQLite has open on a simulated disk. Its methods implement `sqlite3_io_methods`.
///
/// It holds a strong reference to the disk, so that a connection may outlive other owners. Like its
/// connection it is used from one thread at a time.
final class DatabaseFile {
    /// The lock of this connection on the database; journals have none.
    private struct Locking {
        let locks: Locked<DatabaseLocks>
        let name: String
        let holder: Int
        /// Whether the file is open for writing; if not, no write lock is granted.
        let isWritable: Bool
        /// Detects that another file has taken the name.
        let identity: UInt64
    }

    private let disk: any Disk
    private let path: DiskPath
    private let file: any DiskFile
    private var locking: Locking?
    /// Whether the file is a new journal whose name was not synced yet.
    private var isNameUnsynced = false

    private init(_ disk: any Disk, _ path: DiskPath, _ file: any DiskFile) {
        self.disk = disk
        self.path = path
        self.file = file
    }

    /// Opens a database or a journal; read-only if it cannot be written.
    ///
    /// - Parameter flags: SQLite's flags; on return those of the opened file.
    /// - Throws: `DiskError`.
    static func open(
        _ path: DiskPath, on disk: SimulatedDisk, _ flags: inout Int32
    ) throws(DiskError) -> DatabaseFile {
        let result = DatabaseFile(disk, path, try openFile(path, on: disk, &flags))
        let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
        result.isNameUnsynced = !isDatabase && flags & SQLITE_OPEN_CREATE != 0
        if isDatabase {
            result.locking = Locking(
                locks: disk.databaseLocks, name: path.description,
                holder: disk.databaseLocks.withLock { $0.nextHolder() },
                isWritable: flags & SQLITE_OPEN_READWRITE != 0,
                identity: try result.file.status().identity)
        }
        return result
    }

    /// A temporary file in memory, which does not survive a crash.
    static func temporary() throws(DiskError) -> DatabaseFile {
        let disk = MemoryDisk()
        let path = DiskPath(.root, "temporary")
        return DatabaseFile(disk, path, try disk.open(path, .create))
    }

    private static func openFile(
        _ path: DiskPath, on disk: SimulatedDisk, _ flags: inout Int32
    ) throws(DiskError) -> any DiskFile {
        guard flags & SQLITE_OPEN_READWRITE != 0 else { return try disk.open(path, .read) }
        do throws(DiskError) {
            return try disk.open(path, .readWrite)
        } catch {
            if error.isNotFound, flags & SQLITE_OPEN_CREATE != 0 {
                return try disk.open(path, .create)
            }
            let file = try disk.open(path, .read)
            flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            flags |= SQLITE_OPEN_READONLY
            return file
        }
    }
}

// MARK: Contents

extension DatabaseFile {
    func close() -> Int32 {
        unlock(to: .none)
        // The descriptor is freed in any case; SQLite ignores the error too.
        try? file.close()
        return SQLITE_OK
    }

    /// Fills the buffer with zeros after the end of the file, as SQLite requires.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) -> Int32 {
        do {
            let count = try file.read(into: buffer, at: position)
            if count == buffer.count { return SQLITE_OK }
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                .initializeMemory(as: UInt8.self, repeating: 0)
            return FileSystemCode.shortRead
        } catch {
            return FileSystemCode.ofRead(error)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Int32 {
        do {
            try file.write(bytes, at: position)
            return SQLITE_OK
        } catch {
            return FileSystemCode.ofWrite(error)
        }
    }

    func truncate(to size: Int) -> Int32 {
        do {
            try file.truncate(to: size)
            return SQLITE_OK
        } catch {
            return FileSystemCode.truncateFailed
        }
    }

    /// Syncs the content and, once for a new journal, its name. Like SQLite's own file system it
    /// ignores an error of the latter.
    func sync() -> Int32 {
        do {
            try file.sync()
        } catch {
            return FileSystemCode.syncFailed
        }
        if isNameUnsynced {
            isNameUnsynced = false
            try? disk.syncDirectory(path.directory)
        }
        return SQLITE_OK
    }

    /// The size in bytes; nil after an error.
    func sizeBytes() -> Int? {
        try? file.status().sizeBytes
    }

    /// Whether the database was renamed or removed; nil for other files.
    func hasMoved() -> Bool? {
        guard let locking else { return nil }
        let status = try? disk.status(of: path)
        return status?.identity != locking.identity
    }
}

// MARK: Locks

extension DatabaseFile {
    func lock(_ level: DatabaseLocks.Level) -> Int32 {
        guard let locking else { return SQLITE_OK }
        if level > .shared, !locking.isWritable { return FileSystemCode.lockFailed }
        let isLocked = locking.locks.withLock {
            $0.raise(locking.holder, on: locking.name, to: level)
        }
        return isLocked ? SQLITE_OK : SQLITE_BUSY
    }

    func unlock(to level: DatabaseLocks.Level) {
        guard let locking else { return }
        locking.locks.withLock { $0.lower(locking.holder, on: locking.name, to: level) }
    }

    /// Whether any connection, including this one, holds a reserved lock.
    func isReserved() -> Bool {
        guard let locking else { return false }
        return locking.locks.withLock { $0.isReserved(locking.name) }
    }
}

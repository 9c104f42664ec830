import CSQLite
import SkyrosDisk

/// The SQLite VFS for the files of all simulated disks.
///
/// It mirrors SQLite's Unix VFS call by call and error by error, so that results carry over. The
/// path names the disk; see `SimulatedDisk.place(of:)`.
enum SimulatedFileSystem {
    /// The name; a static string, since SQLite keeps its address.
    private static let name: StaticString = "skyros-simulated"
    private static let pathBytesMax = 512
    /// 1970-01-01 as a Julian day: the constant time of the VFS.
    private static let day = 2_440_587.5

    /// Registers the VFS with SQLite, once; returns its name.
    static func register() -> String {
        precondition(isRegistered, "SQLite refused to register the VFS")
        return name.description
    }

    private static let isRegistered: Bool = {
        var table = sqlite3_vfs()
        table.iVersion = 1
        table.szOsFile = Int32(DatabaseFile.slotBytes)
        table.mxPathname = Int32(pathBytesMax)
        table.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        fillFiles(&table)
        fillMachine(&table)
        // Never freed: SQLite keeps the address until the process exits.
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: table)
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }()

    private static func fillFiles(_ table: inout sqlite3_vfs) {
        table.xOpen = { _, path, slot, flags, result in
            guard let slot else { return SQLITE_MISUSE }
            // Without methods SQLite does not close a file that failed to open.
            slot.pointee.pMethods = nil
            var flags = flags
            let code = SimulatedFileSystem.open(path.map { String(cString: $0) }, slot, &flags)
            result?.pointee = flags
            return code
        }
        table.xDelete = { _, path, syncsDirectory in
            guard let path else { return SQLITE_MISUSE }
            return SimulatedFileSystem.delete(
                String(cString: path), syncsDirectory: syncsDirectory != 0)
        }
        table.xAccess = { _, path, _, result in
            guard let path else { return SQLITE_MISUSE }
            result?.pointee = SimulatedFileSystem.exists(String(cString: path)) ? 1 : 0
            return SQLITE_OK
        }
        table.xFullPathname = { _, path, count, result in
            guard let path, let result else { return SQLITE_MISUSE }
            let bytes = String(cString: path).utf8CString
            guard bytes.count <= count else { return SQLITE_CANTOPEN }
            for (index, byte) in bytes.enumerated() { result[index] = byte }
            return SQLITE_OK
        }
    }

    /// Sets the functions that need no disk. Those for loading extensions are left out.
    private static func fillMachine(_ table: inout sqlite3_vfs) {
        // SQLite takes its random numbers from its default VFS, never from this one.
        table.xRandomness = { _, count, result in
            result?.update(repeating: 0, count: Int(count))
            return count
        }
        table.xSleep = { _, microseconds in
            guard let system = sqlite3_vfs_find(nil), let sleep = system.pointee.xSleep else {
                return 0
            }
            return sleep(system, microseconds)
        }
        table.xCurrentTime = { _, result in
            result?.pointee = SimulatedFileSystem.day
            return SQLITE_OK
        }
        table.xGetLastError = { _, _, _ in 0 }
    }

    private static func open(
        _ path: String?, _ slot: UnsafeMutablePointer<sqlite3_file>, _ flags: inout Int32
    ) -> Int32 {
        do throws(DiskError) {
            if let path {
                guard let place = SimulatedDisk.place(of: path) else { return SQLITE_CANTOPEN }
                try DatabaseFile.open(place.path, on: place.disk, &flags).put(into: slot)
            } else {
                try DatabaseFile.temporary().put(into: slot)
            }
            return SQLITE_OK
        } catch {
            return error.operation == .status ? SQLITE_IOERR : SQLITE_CANTOPEN
        }
    }

    private static func delete(_ path: String, syncsDirectory: Bool) -> Int32 {
        guard let (disk, place) = SimulatedDisk.place(of: path) else {
            return FileSystemCode.deleteFailed
        }
        let existed = disk.state.withLock { $0.inode(place) != nil }
        do throws(DiskError) {
            try disk.remove(place)
        } catch {
            return FileSystemCode.deleteFailed
        }
        guard existed else { return FileSystemCode.nothingToDelete }
        do throws(DiskError) {
            if syncsDirectory { try disk.syncDirectory(place.directory) }
        } catch {
            return FileSystemCode.directorySyncFailed
        }
        return SQLITE_OK
    }

    /// Whether a file exists and is not empty; false after an error, as in SQLite's Unix VFS.
    private static func exists(_ path: String) -> Bool {
        guard let (disk, place) = SimulatedDisk.place(of: path),
            let status = try? disk.status(of: place)
        else { return false }
        return status.sizeBytes > 0
    }
}

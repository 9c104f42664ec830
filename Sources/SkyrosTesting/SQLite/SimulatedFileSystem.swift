import CSQLite
import SkyrosDisk

/// The file system by which SQLite reaches the files of all simulated disks.
///
/// It does what SQLite's own does on Unix, call by call and error by error, so that what holds on
/// it holds there. The disk is named by the path; see `SimulatedDisk.place(of:)`.
enum SimulatedFileSystem {
    /// Its name, with a zero behind it, as SQLite keeps the address.
    private static let name: StaticString = "skyros-simulated"
    private static let pathBytesMax = 512
    /// 1970-01-01, as a Julian day.
    private static let day = 2_440_587.5

    /// Makes the file system known to SQLite, once; returns its name.
    static func register() -> String {
        precondition(isRegistered, "SQLite takes one more file system")
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
        // SQLite keeps the address for as long as the process lives.
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: table)
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }()

    private static func fillFiles(_ table: inout sqlite3_vfs) {
        table.xOpen = { _, path, slot, flags, result in
            guard let slot else { return SQLITE_MISUSE }
            // What was not opened is not closed.
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
            result?.pointee = SimulatedFileSystem.isThere(String(cString: path)) ? 1 : 0
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

    /// What SQLite asks of the machine, and what it does without a need for a disk. Extensions
    /// cannot be loaded, so the functions for that are left out.
    private static func fillMachine(_ table: inout sqlite3_vfs) {
        // SQLite takes its random numbers from its default file system, never from this one.
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
        let wasThere = disk.state.withLock { $0.inode(place) != nil }
        do throws(DiskError) {
            try disk.remove(place)
        } catch {
            return FileSystemCode.deleteFailed
        }
        guard wasThere else { return FileSystemCode.nothingToDelete }
        do throws(DiskError) {
            if syncsDirectory { try disk.syncDirectory(place.directory) }
        } catch {
            return FileSystemCode.directorySyncFailed
        }
        return SQLITE_OK
    }

    /// Whether there is a file, and not an empty one. What cannot be told is not there, for
    /// SQLite's own file system.
    private static func isThere(_ path: String) -> Bool {
        guard let (disk, place) = SimulatedDisk.place(of: path),
            let status = try? disk.status(of: place)
        else { return false }
        return status.sizeBytes > 0
    }
}

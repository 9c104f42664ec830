import CSQLite
import SkyrosDisk

/// A SQLite VFS: the default one, with a gate before each change of a file.
///
/// SQLite cannot be stopped in the middle of a commit. With the gate closed each change fails
/// instead, as if the process had died there: the journal stays, and the next connection rolls the
/// transaction back. Reads pass. Syncs pass without the gate, which must not wait for them.
enum GatedFileSystem {
    private static let name: StaticString = "skyros-gated"

    /// A gate that a connection has set; it is removed when the connection closes.
    final class Registration: Sendable {
        let gate: ConnectionOptions.Gate
        fileprivate let key: Key

        fileprivate init(_ gate: ConnectionOptions.Gate, _ key: Key) {
            self.gate = gate
            self.key = key
        }
    }

    /// Connections that only read have gates apart: they create no journal, and must not replace
    /// the gate of one that writes.
    fileprivate struct Key: Hashable {
        /// The bytes of the database's path, as SQLite has them.
        let path: [UInt8]
        let isReadOnly: Bool
    }

    private static let registrations = Locked<[Key: Registration]>([:])

    /// The name of the VFS; nil if SQLite refuses it.
    static var vfs: String? { isRegistered ? name.description : nil }

    /// Sets the gate of a database, for the connection that is opened next.
    static func register(
        _ gate: ConnectionOptions.Gate, for path: String, readOnly isReadOnly: Bool
    ) -> Registration {
        let key = Key(path: Array(path.utf8), isReadOnly: isReadOnly)
        let registration = Registration(gate, key)
        registrations.withLock { $0[key] = registration }
        return registration
    }

    /// Removes a gate, unless a later connection has replaced it.
    static func remove(_ registration: Registration) {
        registrations.withLock { registrations in
            if registrations[registration.key] === registration {
                registrations[registration.key] = nil
            }
        }
    }

    /// The gate of a database, or of its journal.
    static func registered(
        for path: String, readOnly isReadOnly: Bool = false
    ) -> ConnectionOptions.Gate? {
        let journal = "-journal"
        let database = path.hasSuffix(journal) ? path.dropLast(journal.count) : path[...]
        let key = Key(path: Array(database.utf8), isReadOnly: isReadOnly)
        return registrations.withLock { $0[key]?.gate }
    }

    // Safe although a mutable pointer: SQLite never changes its default VFS.
    nonisolated(unsafe) static let system: UnsafeMutablePointer<sqlite3_vfs>? =
        sqlite3_vfs_find(nil)

    private static let isRegistered: Bool = {
        guard let system else { return false }
        // Everything that is not replaced works as in the default VFS, whose data it needs.
        var table = system.pointee
        table.pNext = nil
        table.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        table.szOsFile = Int32(GatedFile.slotBytes)
        table.xOpen = { _, path, slot, flags, result in
            guard let slot else { return SQLITE_MISUSE }
            return GatedFileSystem.open(path, slot, flags, result)
        }
        table.xDelete = { _, path, syncsDirectory in
            GatedFileSystem.delete(path, syncsDirectory: syncsDirectory != 0)
        }
        // Never freed: SQLite keeps the address until the process exits.
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: table)
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }()

    private static func open(
        _ path: UnsafePointer<CChar>?, _ slot: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ result: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        // Without methods SQLite does not close a file that failed to open.
        slot.pointee.pMethods = nil
        guard let system, let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
        let readOnly = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY
        let isReadOnly = flags & readOnly == readOnly
        let gate = path.flatMap { registered(for: String(cString: $0), readOnly: isReadOnly) }?.gate
        let file = GatedFile(gate, byteCount: Int(system.pointee.szOsFile))
        let code = passing(gate, otherwise: SQLITE_CANTOPEN) {
            open(system, path, file.inner, flags, result)
        }
        // The default VFS sets methods, also of a file that failed to open, if it must be closed.
        if file.inner.pointee.pMethods != nil { file.put(into: slot) }
        return code
    }

    /// Removes a file, and syncs its directory outside of the gate.
    private static func delete(_ path: UnsafePointer<CChar>?, syncsDirectory: Bool) -> Int32 {
        guard let path, let system, let delete = system.pointee.xDelete else {
            return SQLITE_MISUSE
        }
        guard let gate = registered(for: String(cString: path)) else {
            return delete(system, path, syncsDirectory ? 1 : 0)
        }
        let code = passing(gate.gate, otherwise: SQLITE_IOERR | 10 << 8) {
            delete(system, path, 0)
        }
        guard code == SQLITE_OK, syncsDirectory else { return code }
        // SQLITE_IOERR_DIR_FSYNC
        return !gate.gate.isClosed && gate.syncDirectory() ? SQLITE_OK : SQLITE_IOERR | 5 << 8
    }

    /// Runs `change` if the gate is open, or there is none; `code` is the result otherwise.
    static func passing(
        _ gate: ChangeGate?, otherwise code: Int32, _ change: () -> Int32
    ) -> Int32 {
        guard let gate else { return change() }
        return gate.pass(change) ?? code
    }
}

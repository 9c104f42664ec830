import CSQLite

/// The bridge to SQLite: the `sqlite3_file` that points to this object, and its I/O methods.
extension DatabaseFile {
    /// The bytes that SQLite allocates per file: its own `sqlite3_file`, then the address of ours.
    static let slotBytes = addressOffset + MemoryLayout<UnsafeRawPointer>.size
    private static let addressOffset = MemoryLayout<sqlite3_file>.stride

    /// Passes a retained reference to SQLite, which `xClose` releases.
    func put(into slot: UnsafeMutablePointer<sqlite3_file>) {
        UnsafeMutableRawPointer(slot).storeBytes(
            of: UnsafeRawPointer(Unmanaged.passRetained(self).toOpaque()),
            toByteOffset: Self.addressOffset, as: UnsafeRawPointer.self)
        slot.pointee.pMethods = UnsafePointer(Self.methods)
    }

    private static func reference(
        in slot: UnsafeMutablePointer<sqlite3_file>
    ) -> Unmanaged<DatabaseFile> {
        let address = UnsafeRawPointer(slot).load(
            fromByteOffset: addressOffset, as: UnsafeRawPointer.self)
        return Unmanaged.fromOpaque(address)
    }

    private static func file(
        in slot: UnsafeMutablePointer<sqlite3_file>?
    ) -> DatabaseFile {
        guard let slot else { preconditionFailure("SQLite used a file that is not open") }
        return reference(in: slot).takeUnretainedValue()
    }

    // Safe although a mutable pointer: it is filled here and never changes afterwards.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var table = sqlite3_io_methods()
        // Version 1 has neither shared memory nor memory-mapped files.
        table.iVersion = 1
        fillContents(&table)
        fillLocks(&table)
        fillProperties(&table)
        methods.initialize(to: table)
        return methods
    }()

    private static func fillContents(_ table: inout sqlite3_io_methods) {
        table.xClose = { slot in
            guard let slot else { return SQLITE_MISUSE }
            slot.pointee.pMethods = nil
            return DatabaseFile.reference(in: slot).takeRetainedValue().close()
        }
        table.xRead = { slot, buffer, count, position in
            let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return DatabaseFile.file(in: slot).read(into: buffer, at: Int(position))
        }
        table.xWrite = { slot, bytes, count, position in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            return DatabaseFile.file(in: slot).write(bytes, at: Int(position))
        }
        table.xTruncate = { slot, size in
            DatabaseFile.file(in: slot).truncate(to: Int(size))
        }
        table.xSync = { slot, _ in DatabaseFile.file(in: slot).sync() }
        table.xFileSize = { slot, result in
            guard let size = DatabaseFile.file(in: slot).sizeBytes() else {
                return FileSystemCode.statusFailed
            }
            result?.pointee = sqlite3_int64(size)
            return SQLITE_OK
        }
    }

    private static func fillLocks(_ table: inout sqlite3_io_methods) {
        table.xLock = { slot, level in
            guard let level = DatabaseLocks.Level(rawValue: level) else { return SQLITE_MISUSE }
            return DatabaseFile.file(in: slot).lock(level)
        }
        table.xUnlock = { slot, level in
            guard let level = DatabaseLocks.Level(rawValue: level) else { return SQLITE_MISUSE }
            DatabaseFile.file(in: slot).unlock(to: level)
            return SQLITE_OK
        }
        table.xCheckReservedLock = { slot, result in
            result?.pointee = DatabaseFile.file(in: slot).isReserved() ? 1 : 0
            return SQLITE_OK
        }
    }

    private static func fillProperties(_ table: inout sqlite3_io_methods) {
        table.xFileControl = { slot, question, answer in
            guard question == SQLITE_FCNTL_HAS_MOVED,
                let hasMoved = DatabaseFile.file(in: slot).hasMoved()
            else { return SQLITE_NOTFOUND }
            answer?.storeBytes(of: hasMoved ? 1 : 0, as: Int32.self)
            return SQLITE_OK
        }
        table.xSectorSize = { _ in Int32(SimulatedState.Inode.sectorBytes) }
        // No guarantees: no write is atomic, and a torn write may corrupt the rest of its sector.
        table.xDeviceCharacteristics = { _ in 0 }
    }
}

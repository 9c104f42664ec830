import CSQLite
import SkyrosDisk

/// A file of `GatedFileSystem`: a file of SQLite's default VFS behind a gate.
///
/// - Note: `@unchecked` because of the pointer, which never changes; SQLite uses a file from one
///   thread at a time.
final class GatedFile: @unchecked Sendable {
    /// The file of the default VFS.
    let inner: UnsafeMutablePointer<sqlite3_file>
    private let gate: ChangeGate?

    init(_ gate: ChangeGate?, byteCount: Int) {
        self.gate = gate
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        inner = memory.assumingMemoryBound(to: sqlite3_file.self)
    }

    deinit {
        UnsafeMutableRawPointer(inner).deallocate()
    }

    private var methods: sqlite3_io_methods { inner.pointee.pMethods.pointee }

    /// Runs a change of the file; fails with the extended code of an I/O error if it may not.
    private func change(_ code: Int32, _ body: () -> Int32) -> Int32 {
        GatedFileSystem.passing(gate, otherwise: SQLITE_IOERR | code << 8, body)
    }
}

/// The bridge to SQLite: the `sqlite3_file` that points to this object, and its I/O methods.
extension GatedFile {
    /// The bytes that SQLite allocates per file: its own `sqlite3_file`, then the address of ours.
    static let slotBytes = addressOffset + MemoryLayout<UnsafeRawPointer>.size
    private static let addressOffset = MemoryLayout<sqlite3_file>.stride

    /// Passes a retained reference to SQLite, which `xClose` releases.
    func put(into slot: UnsafeMutablePointer<sqlite3_file>) {
        UnsafeMutableRawPointer(slot).storeBytes(
            of: UnsafeRawPointer(Unmanaged.passRetained(self).toOpaque()),
            toByteOffset: Self.addressOffset, as: UnsafeRawPointer.self)
        slot.pointee.pMethods = UnsafePointer(Self.table)
    }

    private static func reference(
        in slot: UnsafeMutablePointer<sqlite3_file>
    ) -> Unmanaged<GatedFile> {
        let address = UnsafeRawPointer(slot).load(
            fromByteOffset: addressOffset, as: UnsafeRawPointer.self)
        return Unmanaged.fromOpaque(address)
    }

    private static func file(in slot: UnsafeMutablePointer<sqlite3_file>?) -> GatedFile {
        guard let slot else { preconditionFailure("SQLite used a file that is not open") }
        return reference(in: slot).takeUnretainedValue()
    }

    // Safe although a mutable pointer: it is filled here and never changes afterwards.
    nonisolated(unsafe) private static let table: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var table = sqlite3_io_methods()
        // Version 1 has neither shared memory nor memory-mapped files.
        table.iVersion = 1
        fillChanges(&table)
        fillOthers(&table)
        methods.initialize(to: table)
        return methods
    }()

    /// The numbers are those of SQLITE_IOERR_WRITE, _TRUNCATE, _FSYNC and _LOCK.
    private static func fillChanges(_ table: inout sqlite3_io_methods) {
        table.xWrite = { slot, bytes, count, position in
            let file = GatedFile.file(in: slot)
            return file.change(3) { file.methods.xWrite(file.inner, bytes, count, position) }
        }
        table.xTruncate = { slot, size in
            let file = GatedFile.file(in: slot)
            return file.change(6) { file.methods.xTruncate(file.inner, size) }
        }
        table.xSync = { slot, flags in
            let file = GatedFile.file(in: slot)
            if file.gate?.isClosed == true { return SQLITE_IOERR | 4 << 8 }
            return file.methods.xSync(file.inner, flags)
        }
        table.xLock = { slot, level in
            let file = GatedFile.file(in: slot)
            return file.change(15) { file.methods.xLock(file.inner, level) }
        }
    }

    private static func fillOthers(_ table: inout sqlite3_io_methods) {
        table.xClose = { slot in
            guard let slot else { return SQLITE_MISUSE }
            slot.pointee.pMethods = nil
            let file = GatedFile.reference(in: slot).takeRetainedValue()
            return file.methods.xClose(file.inner)
        }
        table.xRead = { slot, buffer, count, position in
            let file = GatedFile.file(in: slot)
            return file.methods.xRead(file.inner, buffer, count, position)
        }
        table.xFileSize = { slot, result in
            let file = GatedFile.file(in: slot)
            return file.methods.xFileSize(file.inner, result)
        }
        table.xUnlock = { slot, level in
            let file = GatedFile.file(in: slot)
            return file.methods.xUnlock(file.inner, level)
        }
        table.xCheckReservedLock = { slot, result in
            let file = GatedFile.file(in: slot)
            return file.methods.xCheckReservedLock(file.inner, result)
        }
        table.xFileControl = { slot, question, answer in
            let file = GatedFile.file(in: slot)
            return file.methods.xFileControl(file.inner, question, answer)
        }
        table.xSectorSize = { slot in
            let file = GatedFile.file(in: slot)
            return file.methods.xSectorSize(file.inner)
        }
        table.xDeviceCharacteristics = { slot in
            let file = GatedFile.file(in: slot)
            return file.methods.xDeviceCharacteristics(file.inner)
        }
    }
}

package import SkyrosDisk

/// A disk that calls the test before each operation on a name, and before each write and sync of a
/// file that was created or opened through it. It damages writes if the test asks for it.
package struct HookedDisk<Base: Disk>: Disk {
    package typealias Hook = @Sendable (_ operation: DiskError.Operation, _ path: String) -> Void

    package let disk: Base
    private let state = Locked(State())

    private struct State: Sendable {
        var hook: Box?
        var isRunning = false
        /// The suffix of the files in which a byte of each write is changed.
        var damagedSuffix: String?
    }

    /// A reference: each move of a closure through generic code would wrap it once more.
    private final class Box: Sendable {
        let body: Hook

        init(_ body: @escaping Hook) {
            self.body = body
        }
    }

    package init(_ disk: Base) {
        self.disk = disk
    }

    /// Calls `body` before each operation from now on, on the thread of the operation; nil for
    /// nothing. It is not called for what it does itself.
    package func beforeEach(_ body: Hook?) {
        let box = body.map { Box($0) }
        state.withLock { $0.hook = box }
    }

    /// Changes a byte of each write of at least 100 bytes to a file whose name ends so.
    package func damageWrites(to suffix: String?) {
        state.withLock { $0.damagedSuffix = suffix }
    }

    private func isDamaged(_ path: String) -> Bool {
        state.withLock { path.hasSuffix($0.damagedSuffix ?? "/") }
    }

    private func call(_ operation: DiskError.Operation, _ path: String) {
        let hook = state.withLock { state -> Box? in
            guard !state.isRunning, let hook = state.hook else { return nil }
            state.isRunning = true
            return hook
        }
        guard let hook else { return }
        hook.body(operation, path)
        state.withLock { $0.isRunning = false }
    }

    private struct File: DiskFile {
        let file: any DiskFile
        let path: String
        let disk: HookedDisk

        func sync() throws(DiskError) {
            disk.call(.syncFile, path)
            try file.sync()
        }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at position: Int
        ) throws(DiskError) -> Int {
            try file.read(into: buffer, at: position)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
            disk.call(.write, path)
            guard bytes.count >= 100, disk.isDamaged(path) else {
                return try file.write(bytes, at: position)
            }
            var copy = [UInt8](bytes)
            copy[copy.count / 2] ^= 1
            try copy.withUnsafeBufferPointer { bytes throws(DiskError) in
                try file.write(UnsafeRawBufferPointer(bytes), at: position)
            }
        }

        func status() throws(DiskError) -> FileStatus { try file.status() }

        func preallocate(to size: Int) throws(DiskError) { try file.preallocate(to: size) }

        func truncate(to size: Int) throws(DiskError) {
            disk.call(.truncate, path)
            try file.truncate(to: size)
        }

        func close() throws(DiskError) { try file.close() }

        func wasRenamed(to name: String) { file.wasRenamed(to: name) }
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        call(.open, path.description)
        return File(file: try disk.open(path, mode), path: path.description, disk: self)
    }

    package var bootID: String { disk.bootID }

    package var directoryID: UInt64? { disk.directoryID }

    package var systemPath: String? { disk.systemPath }

    package var databaseDirectory: DatabaseDirectory? { disk.databaseDirectory }

    package func makeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.makeDirectory(directory)
    }

    package func removeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.removeDirectory(directory)
    }

    package func list(_ directory: Directory) throws(DiskError) -> [String] {
        call(.list, directory.rawValue)
        return try disk.list(directory)
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        try disk.status(of: path)
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        call(.rename, target.description)
        try disk.rename(source, to: target)
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        call(.remove, path.description)
        try disk.remove(path)
    }

    package func syncDirectory(_ directory: Directory) throws(DiskError) {
        call(.syncDirectory, directory.rawValue)
        try disk.syncDirectory(directory)
    }

    package func lock() throws(DiskError) -> any DiskLock { try disk.lock() }

    package func suspend() { disk.suspend() }

    package func resume() { disk.resume() }
}

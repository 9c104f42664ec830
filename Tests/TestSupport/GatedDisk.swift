package import SkyrosDisk

/// A disk on which the test blocks syncs, and runs code before a removal or a read.
package struct GatedDisk<Base: Disk>: Disk {
    package let disk: Base
    private let gate = Monitor(Gate())
    private let meanwhile = Locked<(@Sendable () -> Void)?>(nil)
    private let reading = Locked<(@Sendable () -> Void)?>(nil)

    private struct Gate: Sendable {
        var begunCount = 0
        var allowedCount = 0
    }

    /// Every sync of a file on `disk` blocks until `allowSyncs` is called.
    package init(_ disk: Base) {
        self.disk = disk
    }

    /// Waits until `count` syncs have begun in all.
    package func waitForSyncs(_ count: Int) {
        gate.wait { $0.begunCount >= count ? () : nil }
    }

    /// Lets `count` syncs in all continue, and blocks later ones.
    package func allowSyncs(_ count: Int) {
        gate.change { $0.allowedCount = count }
    }

    /// Blocks all syncs that begin later; returns how many have begun.
    package func blockSyncs() -> Int {
        gate.change { gate in
            gate.allowedCount = gate.begunCount
            return gate.begunCount
        }
    }

    /// Runs `body` before the next file is removed.
    package func beforeNextRemoval(_ body: @escaping @Sendable () -> Void) {
        meanwhile.withLock { $0 = body }
    }

    /// Runs `body` before the next read.
    package func beforeNextRead(_ body: @escaping @Sendable () -> Void) {
        reading.withLock { $0 = body }
    }

    private func passGate() {
        let number = gate.change { gate in
            gate.begunCount += 1
            return gate.begunCount
        }
        gate.wait { $0.allowedCount >= number ? () : nil }
    }

    private struct File: DiskFile {
        let file: any DiskFile
        let disk: GatedDisk

        func sync() throws(DiskError) {
            disk.passGate()
            try file.sync()
        }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at position: Int
        ) throws(DiskError) -> Int {
            let body = disk.reading.withLock { reading in
                defer { reading = nil }
                return reading
            }
            body?()
            return try file.read(into: buffer, at: position)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
            try file.write(bytes, at: position)
        }

        func status() throws(DiskError) -> FileStatus { try file.status() }

        func preallocate(to size: Int) throws(DiskError) { try file.preallocate(to: size) }

        func truncate(to size: Int) throws(DiskError) { try file.truncate(to: size) }

        func close() throws(DiskError) { try file.close() }

        func wasRenamed(to name: String) { file.wasRenamed(to: name) }
    }

    package func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        File(file: try disk.open(path, mode), disk: self)
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
        try disk.list(directory)
    }

    package func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        try disk.status(of: path)
    }

    package func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try disk.rename(source, to: target)
    }

    package func remove(_ path: DiskPath) throws(DiskError) {
        let body = meanwhile.withLock { meanwhile in
            defer { meanwhile = nil }
            return meanwhile
        }
        body?()
        try disk.remove(path)
    }

    package func syncDirectory(_ directory: Directory) throws(DiskError) {
        try disk.syncDirectory(directory)
    }

    package func lock() throws(DiskError) -> any DiskLock { try disk.lock() }
}

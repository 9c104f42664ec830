import SkyrosDisk
import SkyrosTesting

/// A simulated disk on which the test blocks syncs, and runs code before a removal.
struct GatedDisk: Disk {
    let disk = SimulatedDisk()
    private let gate = Monitor(Gate())
    private let meanwhile = Locked<(@Sendable () -> Void)?>(nil)

    private struct Gate: Sendable {
        var begunCount = 0
        var allowedCount = 0
    }

    /// Waits until `count` syncs have begun in all.
    func waitForSyncs(_ count: Int) {
        gate.wait { $0.begunCount >= count ? () : nil }
    }

    /// Lets `count` syncs in all continue, and blocks later ones.
    func allowSyncs(_ count: Int) {
        gate.change { $0.allowedCount = count }
    }

    /// Runs `body` before the next file is removed.
    func beforeNextRemoval(_ body: @escaping @Sendable () -> Void) {
        meanwhile.withLock { $0 = body }
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
            try file.read(into: buffer, at: position)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
            try file.write(bytes, at: position)
        }

        func status() throws(DiskError) -> FileStatus { try file.status() }

        func preallocate(to size: Int) throws(DiskError) { try file.preallocate(to: size) }

        func truncate(to size: Int) throws(DiskError) { try file.truncate(to: size) }

        func close() throws(DiskError) { try file.close() }
    }

    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        File(file: try disk.open(path, mode), disk: self)
    }

    var bootID: String { disk.bootID }

    var systemPath: String? { nil }

    func makeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.makeDirectory(directory)
    }

    func removeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.removeDirectory(directory)
    }

    func list(_ directory: Directory) throws(DiskError) -> [String] { try disk.list(directory) }

    func status(of path: DiskPath) throws(DiskError) -> FileStatus? {
        try disk.status(of: path)
    }

    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try disk.rename(source, to: target)
    }

    func remove(_ path: DiskPath) throws(DiskError) {
        let body = meanwhile.withLock { meanwhile in
            defer { meanwhile = nil }
            return meanwhile
        }
        body?()
        try disk.remove(path)
    }

    func syncDirectory(_ directory: Directory) throws(DiskError) {
        try disk.syncDirectory(directory)
    }

    func lock() throws(DiskError) -> any DiskLock { try disk.lock() }
}

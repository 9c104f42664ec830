import SkyrosDisk
import SkyrosTesting
import TestSupport

/// The disks that must behave in the same way.
enum DiskKind: CaseIterable {
    case posix, memory, simulated
}

/// An empty disk, and its directory.
struct DiskFixture {
    let disk: any Disk
    private let directory: TemporaryDirectory?

    init(_ kind: DiskKind) throws {
        switch kind {
        case .posix:
            let directory = try TemporaryDirectory()
            disk = try PosixDisk(path: directory.path("Test.skyros"), creating: true)
            self.directory = directory
        case .memory:
            disk = MemoryDisk()
            directory = nil
        case .simulated:
            disk = SimulatedDisk()
            directory = nil
        }
    }
}

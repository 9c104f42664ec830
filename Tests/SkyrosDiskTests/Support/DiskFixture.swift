import SkyrosDisk
import SkyrosTesting
import TestSupport

/// The disks that must behave alike.
enum DiskKind: CaseIterable {
    case posix, memory, simulated
}

/// An empty disk, and what it stands on.
struct DiskFixture {
    let disk: any Disk
    private let folder: TemporaryFolder?

    init(_ kind: DiskKind) throws {
        switch kind {
        case .posix:
            let folder = try TemporaryFolder()
            disk = try PosixDisk(path: folder.path("Test.skyros"), creating: true)
            self.folder = folder
        case .memory:
            disk = MemoryDisk()
            folder = nil
        case .simulated:
            disk = SimulatedDisk()
            folder = nil
        }
    }
}

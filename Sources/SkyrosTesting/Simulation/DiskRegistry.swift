import SkyrosDisk

/// The simulated disks of this process by number, which is part of the paths that SQLite uses.
struct DiskRegistry {
    private struct Entry {
        weak var disk: SimulatedDisk?
    }

    private var lastNumber = 0
    private var entries: [Int: Entry] = [:]

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ disk: SimulatedDisk, as number: Int) {
        entries[number] = Entry(disk: disk)
    }

    mutating func remove(_ number: Int) {
        entries[number] = nil
    }

    subscript(number: Int) -> SimulatedDisk? { entries[number]?.disk }
}

extension SimulatedDisk {
    static let registry = Locked(DiskRegistry())
}

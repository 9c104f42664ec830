import SkyrosDisk

/// The simulated disks of this process by number: paths, which are all that SQLite passes, name it.
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

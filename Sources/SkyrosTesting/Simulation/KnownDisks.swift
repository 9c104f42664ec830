import SkyrosDisk

/// The simulated disks of this process, by their numbers: SQLite hands over paths only.
struct KnownDisks {
    private struct Entry {
        weak var disk: SimulatedDisk?
    }

    private var lastNumber = 0
    private var entries: [Int: Entry] = [:]

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func note(_ disk: SimulatedDisk, as number: Int) {
        entries[number] = Entry(disk: disk)
    }

    mutating func forget(_ number: Int) {
        entries[number] = nil
    }

    subscript(number: Int) -> SimulatedDisk? { entries[number]?.disk }
}

extension SimulatedDisk {
    static let known = Locked(KnownDisks())
}

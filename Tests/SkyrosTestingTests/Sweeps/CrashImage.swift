import SkyrosTesting

/// One of the disks that a crash at some snapshot may leave.
enum CrashImage {
    /// The process was killed: all that was written is there, and not durable.
    case kill
    /// The power was cut, and of the unsynced changes the nth survived if bit n is set.
    case changes(UInt64)
    /// The power was cut when all names and sizes had arrived, and of the unsynced sectors the nth
    /// if bit n is set.
    case sectors(UInt64)
    /// The power was cut, and chance decides, down to zeros and garbage.
    case chance(UInt64)

    /// How many images of a snapshot are tried.
    struct Budget {
        /// Up to so many changes, or sectors, all subsets are tried; of more only a sample.
        var exhaustiveCountMax = 8
        var seedCount = 2
        /// Of so many images one is followed into the next depth.
        var followedInterval: UInt64 = 1
    }

    var isKill: Bool {
        if case .kill = self { true } else { false }
    }

    func disk(_ before: SimulatedDisk) -> SimulatedDisk {
        switch self {
        case .kill: before.killed()
        case .changes(let bits): before.crashed(keeping: bits)
        case .sectors(let bits): before.crashed(keepingSectors: bits)
        case .chance(let seed): before.crashed(seed: seed)
        }
    }

    /// The images of a snapshot that are tried.
    static func all(
        of snapshot: SimulatedDisk.DiskSnapshot, _ before: SimulatedDisk, _ budget: Budget
    ) -> [CrashImage] {
        let changeCount = before.unsyncedChangeCount
        if changeCount == 0 { return [.kill, .changes(0)] }
        // What arrives of a write that is under way, the snapshots before and behind it show.
        if snapshot.writtenByteCount != nil { return [.kill, .changes(.max)] }
        let seed = UInt64(snapshot.operationCount) << 8
        let changes = subsets(of: changeCount, budget, seed)
        let sectors = subsets(of: before.unsyncedSectorCount, budget, seed + 1)
        let seeds = (0..<UInt64(budget.seedCount)).map { seed + $0 }
        return [.kill] + changes.map { .changes($0) } + sectors.map { .sectors($0) }
            + seeds.map { .chance($0) }
    }

    /// All subsets of few things; of many none, all, each beginning, each without one, and a
    /// sample.
    private static func subsets(of count: Int, _ budget: Budget, _ seed: UInt64) -> [UInt64] {
        if count <= budget.exhaustiveCountMax { return Array(0..<1 << UInt64(count)) }
        let indices = (0..<UInt64(min(count, 64)))
        let random = SeededEntropy(seed: seed)
        let sample = (0..<1 << budget.exhaustiveCountMax).map { _ in random.next() }
        return [.max] + indices.map { 1 << $0 - 1 } + indices.map { ~(1 << $0) } + sample
    }
}

extension CrashImage: CustomStringConvertible {
    var description: String {
        switch self {
        case .kill: "kill"
        case .changes(let bits): "power cut that keeps changes 0b\(String(bits, radix: 2))"
        case .sectors(let bits): "power cut that keeps sectors 0b\(String(bits, radix: 2))"
        case .chance(let seed): "power cut with seed \(seed)"
        }
    }
}

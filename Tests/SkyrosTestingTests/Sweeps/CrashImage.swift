import SkyrosTesting

/// One of the disks that a crash at a snapshot may leave.
enum CrashImage {
    /// A kill: everything written is there, but not durable.
    case kill
    /// A power cut: unsynced change n survives if bit n is set.
    case changes(UInt64)
    /// A power cut: all names and sizes survive, and unsynced sector n if bit n is set.
    case sectors(UInt64)
    /// A power cut with random survivors, zeros and garbage included, by a seed.
    case seeded(UInt64)

    /// How many images of a snapshot are tried.
    struct Budget {
        /// For up to this number of changes, or sectors, all subsets are tried; else a sample.
        var exhaustiveCountMax = 8
        var seedCount = 2
        /// Every `followedInterval`-th image is explored at the next depth.
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
        case .seeded(let seed): before.crashed(seed: seed)
        }
    }

    /// The images to try for a snapshot.
    static func all(
        of snapshot: SimulatedDisk.DiskSnapshot, _ before: SimulatedDisk, _ budget: Budget
    ) -> [CrashImage] {
        let changeCount = before.unsyncedChangeCount
        if changeCount == 0 { return [.kill, .changes(0)] }
        // Within a write the snapshots themselves cover what has arrived.
        if snapshot.writtenByteCount != nil { return [.kill, .changes(.max)] }
        let seed = UInt64(snapshot.operationCount) << 8
        let changes = subsets(of: changeCount, budget, seed)
        let sectors = subsets(of: before.unsyncedSectorCount, budget, seed + 1)
        let seeds = (0..<UInt64(budget.seedCount)).map { seed + $0 }
        return [.kill] + changes.map { .changes($0) } + sectors.map { .sectors($0) }
            + seeds.map { .seeded($0) }
    }

    /// All subsets of a few elements. Of many: none, all, each prefix, each with one missing, and a
    /// random sample.
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
        case .seeded(let seed): "power cut with seed \(seed)"
        }
    }
}

import SkyrosSQLite
import SkyrosTesting
import TestSupport
import Testing

/// Checks that SQLite's transactions are atomic on the simulated disk: crashes at every operation
/// of a transaction, and of the rollback that follows.
@Suite(.long) struct `A SQLite transaction on a simulated disk` {
    private static let growing = Generations(rowCounts: [0, 6, 14])
    private static let shrinking = Generations(rowCounts: [0, 14, 3])
    /// The cache is too small for the transaction, so SQLite writes and syncs during it.
    private static let spilling = Generations(rowCounts: [0, 50, 60], cacheBytesMax: 1)

    private static let budgets = Extent.pick(
        brief: [CrashImage.Budget(exhaustiveCountMax: 0, seedCount: 1)],
        quick: [
            CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 2),
            CrashImage.Budget(exhaustiveCountMax: 0, seedCount: 1, followedInterval: 256),
        ],
        deep: [
            CrashImage.Budget(exhaustiveCountMax: 8, seedCount: 16),
            CrashImage.Budget(exhaustiveCountMax: 4, seedCount: 2, followedInterval: 32),
            CrashImage.Budget(exhaustiveCountMax: 1, seedCount: 1, followedInterval: 2_048),
        ])

    @Test(arguments: [growing, shrinking])
    func `is atomic, whichever operation crashes (F56)`(generations: Generations) throws {
        var sweep = DatabaseSweep(generations, Self.budgets, "database, \(generations.rowCounts)")
        try sweep.run()
        sweep.tally.report()
    }

    @Test func `is atomic if its cache spills before the commit (F56)`() throws {
        let interval = Extent.pick(brief: 256, quick: 64, deep: 8)
        var sweep = DatabaseSweep(
            Self.spilling, Self.budgets, "database, spilling", interval: interval)
        try sweep.run()
        sweep.tally.report()
    }

    @Test(arguments: [growing, shrinking])
    func `is atomic, whichever operation fails (F17, F56)`(generations: Generations) throws {
        let interval = Extent.pick(brief: 17, quick: 5, deep: 1)
        var sweep = DatabaseFaultSweep(generations, interval: interval)
        try sweep.run()
        sweep.tally.report()
    }
}

/// Crashes at every operation of a transaction, and of the opening that follows.
private struct DatabaseSweep {
    let generations: Generations
    let budgets: [CrashImage.Budget]
    /// Every `interval`-th snapshot is tried.
    let interval: Int
    private(set) var tally: SweepTally
    /// The generation found on each disk that was opened, by fingerprint.
    private var known: [UInt64: Int?] = [:]

    init(
        _ generations: Generations, _ budgets: [CrashImage.Budget], _ name: String,
        interval: Int = 1
    ) {
        self.generations = generations
        self.budgets = budgets
        self.interval = interval
        tally = SweepTally(name)
    }

    mutating func run() throws {
        let disk = SimulatedDisk()
        disk.record()
        let connection = try generations.open(disk)
        var begins: [Int] = []
        for generation in generations.rowCounts.indices {
            begins.append(disk.operations.count)
            try generations.write(generation, to: connection)
        }
        let end = disk.operations.count
        tally.count("operations", end)
        for (index, snapshot) in disk.snapshots.enumerated() where index % interval == 0 {
            // The transactions that have begun; all but the last one are committed.
            let begun = begins.count { $0 <= snapshot.operationCount } - 1
            let newest = snapshot.operationCount >= end ? begun + 1 : begun
            let allowed: Set<Int?> = [newest > 0 ? newest - 1 : nil, min(newest, begun)]
            try visit(snapshot, allowed, depth: 1)
        }
        try connection.close()
    }

    private mutating func visit(
        _ snapshot: SimulatedDisk.DiskSnapshot, _ allowed: Set<Int?>, depth: Int
    ) throws {
        let before = snapshot.disk
        for image in CrashImage.all(of: snapshot, before, budgets[depth - 1]) {
            tally.count("images at depth \(depth)")
            do {
                try visit(image.disk(before), allowed, isKill: image.isKill, depth: depth)
            } catch {
                throw CrashFinding(
                    description: "before operation \(snapshot.operationCount) "
                        + "(\(snapshot.writtenByteCount ?? 0) bytes into it), \(image): \(error)")
            }
        }
    }

    private mutating func visit(
        _ image: SimulatedDisk, _ allowed: Set<Int?>, isKill: Bool, depth: Int
    ) throws {
        let fingerprint = image.fingerprint
        if let found = known[fingerprint] { return try compare(found, allowed) }
        tally.count("different ones")
        let isFollowed =
            depth < budgets.count
            && UInt64(known.count) % budgets[depth].followedInterval == 0
        if isFollowed { image.record() }
        let found = try generations.read(on: image)
        try compare(found, allowed)
        known[fingerprint] = found
        guard isFollowed else { return }
        // After a kill just before the last sync a reader may see a commit that is not durable.
        // After a power cut everything that it sees is durable.
        let next = isKill ? allowed : [found]
        for snapshot in image.snapshots { try visit(snapshot, next, depth: depth + 1) }
    }

    private func compare(_ found: Int?, _ allowed: Set<Int?>) throws {
        guard allowed.contains(found) else {
            throw CrashFinding(
                description: "found generation \(found ?? -1), expected one of \(allowed)")
        }
    }
}

/// Makes each operation of a transaction fail, in each possible way.
private struct DatabaseFaultSweep {
    let generations: Generations
    let interval: Int
    private(set) var tally: SweepTally

    init(_ generations: Generations, interval: Int) {
        self.generations = generations
        self.interval = interval
        tally = SweepTally("database faults, \(generations.rowCounts)")
    }

    mutating func run() throws {
        let disk = SimulatedDisk()
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        let begin = disk.operations.count
        try generations.write(2, to: connection)
        let operations = disk.operations[begin...]
        try connection.close()
        tally.count("operations", operations.count)
        var counts: [SimulatedDisk.Kind: Int] = [:]
        for (index, operation) in operations.enumerated() {
            let before = counts[operation.kind, default: 0]
            counts[operation.kind] = before + 1
            guard index % interval == 0 else { continue }
            for fault in FaultSweep.faults(operation.kind, after: before) {
                do {
                    try play(fault)
                } catch {
                    throw CrashFinding(
                        description: "operation \(index), \(operation.kind) of "
                            + "\(operation.path), \(fault): \(error)")
                }
            }
        }
    }

    private mutating func play(_ fault: Fault) throws {
        tally.count("runs")
        let disk = SimulatedDisk()
        let connection = try generations.open(disk)
        try generations.write(1, to: connection)
        disk.inject(fault)
        let result = Result { try generations.write(2, to: connection) }
        let isDone = (try? result.get()) != nil
        tally.count("errors", isDone ? 0 : 1)
        let allowed: Set<Int?> = isDone ? [2] : [1, 2]
        try check(disk, allowed)
        disk.heal()
        // The same connection continues.
        let found = try generations.read(connection)
        guard allowed.contains(found) else {
            throw CrashFinding(description: "the connection reads \(found ?? -1)")
        }
        try check(disk, found == 2 && isDone ? [2] : [1, 2])
        try generations.write(0, to: connection)
        try check(disk, [0])
        try connection.close()
    }

    /// Checks the disk after a kill and after power cuts. If the name of the journal may be lost, a
    /// reader may find half a transaction, which it must detect.
    private mutating func check(_ disk: SimulatedDisk, _ allowed: Set<Int?>) throws {
        for image: CrashImage in [.kill, .changes(0), .changes(.max), .seeded(1), .seeded(2)] {
            tally.count("images")
            do {
                let found = try generations.read(on: image.disk(disk))
                guard allowed.contains(found) else {
                    throw CrashFinding(description: "\(image) leaves \(found ?? -1)")
                }
            } catch {
                guard disk.hasLostJournal else { throw error }
                tally.count("with half a transaction")
            }
        }
    }
}

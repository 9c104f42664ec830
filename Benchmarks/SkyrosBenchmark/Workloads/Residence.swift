import BenchmarkModel
import Foundation
import Skyros

/// W11: what rows cost in memory, and what checkpoints cost writers.
enum Residence {
    static let workload = Workload(
        name: "W11", title: "memory, and writers beside checkpoints",
        sides: [.skyros, .sqlite, .floor],
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    /// What is held in memory.
    private enum Holding: String, CaseIterable {
        case indexed = "with index, inserted"
        case unindexed = "without index, inserted"
        case opened = "with index, opened"
    }

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        var figures: [Figure] = []
        if side != .sqlite { figures += try memory(side, bench) }
        if side != .floor && !bench.settings.isGrown {
            figures += try CheckpointCost.latencies(side, bench)
            figures += try CheckpointCost.onePercent(side, bench)
        }
        return figures
    }

    private static func memory(_ side: Side, _ bench: Bench) throws -> [Figure] {
        try Holding.allCases.filter { side == .skyros || $0 != .opened }.map { holding in
            let directory =
                holding == .opened
                ? bench.place(of: .base, side)
                : bench.scratch.appending(path: holding.rawValue)
            let value = try Probe.run(
                .memory, side.rawValue, holding.rawValue, "\(bench.settings.rows)",
                directory.path(percentEncoded: false))
            return Figure(holding.rawValue, value, .bytesPerRow)
        }
    }

    // MARK: In the measured process

    /// Holds all rows and says how much memory that took.
    static func bytesPerRow(_ words: [String]) throws -> ProbeResult {
        guard words.count == 4, let side = Side(rawValue: words[0]),
            let holding = Holding(rawValue: words[1]), let rows = Int(words[2])
        else { throw BenchmarkError("memory SIDE HOLDING ROWS FOLDER") }
        let before = Memory.residentBytes
        let kept = try hold(holding, side, rows, URL(filePath: words[3]))
        let bytes = Memory.residentBytes - before
        return ProbeResult(result: Double(bytes) / Double(rows), kept: kept)
    }

    private static func hold(
        _ holding: Holding, _ side: Side, _ rows: Int, _ directory: URL
    ) throws -> any AnyObject & Sendable {
        if side == .floor {
            let floor = DictionaryFloor(logging: nil, isIndexed: holding == .indexed)
            try Fixture.insertRows(0..<rows, into: floor)
            try BenchmarkError.check(floor.count(), rows, "number of rows")
            return floor
        }
        if holding == .unindexed {
            let store = try Store(at: directory, entities: UnindexedOrder.self)
            for block in Blocks(0..<rows) {
                try store.write(by: Audit.actor, because: Audit.reason) { tx in
                    for row in block { try tx.insert(UnindexedOrder(Generator.order(row))) }
                }
            }
            try BenchmarkError.check(store.count(UnindexedOrder.self), rows, "number of rows")
            return store
        }
        let peer = try SkyrosPeer(at: directory)
        if holding == .indexed { try Fixture.insertRows(0..<rows, into: peer) }
        try BenchmarkError.check(peer.count(), rows, "number of rows")
        return peer
    }
}

import BenchmarkModel
import Foundation
import Skyros

/// W11: what rows cost in memory, and what checkpoints cost writers.
enum Residence {
    static let workload = Workload(
        name: "W11", title: "memory, and writers beside checkpoints", sides: Side.withoutAudit,
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    /// What is held in memory.
    enum Holding: String, CaseIterable {
        case indexed = "with index, inserted"
        case unindexed = "without index, inserted"
        case opened = "with index, opened"
        /// The rows as the values of a Dictionary, as many programs hold them.
        case dictionary
    }

    static let besideDictionary = "without index, inserted, beside a Dictionary"

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        switch side {
        case .skyros: try memory(side, bench) + checkpoints(side, bench)
        case .floor: try memory(side, bench)
        default: try checkpoints(side, bench)
        }
    }

    private static func checkpoints(_ side: Side, _ bench: Bench) throws -> [Figure] {
        if bench.settings.isGrown { return [] }
        return try CheckpointCost.latencies(side, bench) + CheckpointCost.onePercent(side, bench)
    }

    private static func memory(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let holdings: [Holding] =
            side == .skyros
            ? [.indexed, .unindexed, .opened] : [.indexed, .unindexed, .dictionary]
        return try holdings.flatMap { holding in
            let directory =
                holding == .opened
                ? try bench.copy(of: .base, side)
                : bench.scratch.appending(path: holding.rawValue)
            let figures = try Probe.run(
                .memory, in: bench, side.rawValue, holding.rawValue,
                directory.path(percentEncoded: false))
            let isShownTwice = side == .skyros && holding == .unindexed
            let names =
                switch holding {
                case .dictionary: [besideDictionary]
                default: [holding.rawValue] + (isShownTwice ? [besideDictionary] : [])
                }
            return names.flatMap { name in figures.map { $0.named(name) } }
        }
    }

    // MARK: In the measured process

    /// Holds all rows and says how much memory that took.
    static func bytesPerRow(_ words: [String], _ bench: Bench) throws -> ProbeResult {
        guard words.count == 3, let side = Side(rawValue: words[0]),
            let holding = Holding(rawValue: words[1])
        else { throw BenchmarkError("memory SIDE HOLDING FOLDER") }
        let rows = bench.settings.rows
        let before = Memory.residentBytes
        let held = try hold(holding, side, rows, URL(filePath: words[2]))
        let bytes = Memory.residentBytes - before
        try held.check()
        return ProbeResult(
            figures: [Figure("", Double(bytes) / Double(rows), .bytesPerRow)], kept: held.object)
    }

    /// What must stay in memory, and how to tell that all rows are there.
    private struct Held {
        let object: any AnyObject & Sendable
        let check: () throws -> Void
    }

    private static func hold(
        _ holding: Holding, _ side: Side, _ rows: Int, _ directory: URL
    ) throws -> Held {
        switch (holding, side) {
        case (.dictionary, _):
            let box = DictionaryBox(rows)
            return Held(object: box) { try box.check(rows) }
        case (.unindexed, .skyros):
            return try holdUnindexed(rows, directory)
        case (.indexed, .floor), (.unindexed, .floor):
            let floor = MemoryFloor(
                logging: nil, reserving: rows, isIndexed: holding == .indexed)
            try Fixture.insertRows(0..<rows, into: floor)
            return Held(object: floor) { try Checks.holds(floor, rows: rows) }
        default:
            let peer = try SkyrosPeer(at: directory)
            if holding == .indexed { try Fixture.insertRows(0..<rows, into: peer) }
            return Held(object: peer) { try Checks.holds(peer, rows: rows) }
        }
    }

    private static func holdUnindexed(_ rows: Int, _ directory: URL) throws -> Held {
        let store = try Store(at: directory, entities: UnindexedOrder.self)
        for block in Blocks(0..<rows) {
            try store.write(by: Audit.actor, because: Audit.reason) { tx in
                for row in block { try tx.insert(UnindexedOrder(Generator.order(row))) }
            }
        }
        return Held(object: store) {
            try BenchmarkError.check(store.count(UnindexedOrder.self), rows, "number of rows")
            let last = try store.get(UnindexedOrder.self, Generator.id(rows - 1))
            try BenchmarkError.check(last?.order, Generator.order(rows - 1), "the last row")
        }
    }

    /// A Dictionary with all rows.
    private final class DictionaryBox: Sendable {
        private let orders: [UUID: Order]

        init(_ rows: Int) {
            var orders: [UUID: Order] = [:]
            for row in 0..<rows { orders[Generator.id(row)] = Generator.order(row) }
            self.orders = orders
        }

        func check(_ rows: Int) throws {
            try BenchmarkError.check(orders.count, rows, "number of rows")
            let last = orders[Generator.id(rows - 1)]
            try BenchmarkError.check(last, Generator.order(rows - 1), "the last row")
        }
    }
}

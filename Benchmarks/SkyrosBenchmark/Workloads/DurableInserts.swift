import BenchmarkModel
import Foundation

/// W2: one insert a commit, each on the disk before it counts; one writer, and sixteen.
enum DurableInserts {
    static let workload = Workload(
        name: "W2", title: "single inserts, durable", sides: Side.allCases, measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        try [1, 16].map { writers in
            let directory = bench.scratch.appending(path: "\(writers)")
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let count = bench.settings.durableInserts / writers * writers
            let cost =
                side == .floor
                ? try bare(count, by: writers, at: directory)
                : try commits(count, by: writers, side, at: directory)
            let variant = writers == 1 ? "1 writer" : "\(writers) writers"
            return Figure(variant, count, in: cost, .commitsPerSecond)
        }
    }

    private static func commits(
        _ count: Int, by writers: Int, _ side: Side, at directory: URL
    ) throws -> Cost {
        let peer = try Peers.open(side, at: directory, PeerOptions(isDurable: true))
        let orders = Generator.orders(0..<count)
        let share = count / writers
        let cost = try Cost.measure {
            try Threads.run(writers) { writer in
                for order in orders[writer * share..<(writer + 1) * share] {
                    try peer.insert(order)
                }
            }
        }
        try Checks.holds(peer, rows: count)
        try peer.close()
        return cost
    }

    /// The same bytes, appended and synced, and nothing else.
    private static func bare(_ count: Int, by writers: Int, at directory: URL) throws -> Cost {
        let file = try FileFloor(at: directory.appending(path: "log"))
        let orders = Generator.orders(0..<count)
        let share = count / writers
        let written = Tally()
        let cost = try Cost.measure {
            try Threads.run(writers) { writer in
                let encoder = FloorEncoder()
                for order in orders[writer * share..<(writer + 1) * share] {
                    encoder.clear()
                    encoder.addInsertion(order)
                    let end = try encoder.bytes.withUnsafeBytes { try file.append($0) }
                    try file.sync(through: end)
                    written.add(1)
                }
            }
        }
        file.close()
        try BenchmarkError.check(written.value, count, "bare commits")
        return cost
    }
}

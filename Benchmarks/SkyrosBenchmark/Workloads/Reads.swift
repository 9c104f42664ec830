import BenchmarkModel
import Foundation

/// W4: random reads by id.
enum Reads {
    static let workload = Workload(
        name: "W4", title: "reads by id", sides: [.skyros, .sqlite, .floor],
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let settings = bench.settings
        let peer: any Peer
        if side == .floor {
            peer = DictionaryFloor(logging: nil)
            try Fixture.insertRows(0..<settings.rows, into: peer)
        } else {
            peer = try Peers.open(side, at: bench.place(of: .base, side))
        }
        let first = try pass(peer, threads: 1, settings, copy)
        let one = try pass(peer, threads: 1, settings, copy)
        let two = try pass(peer, threads: 2, settings, copy)
        let borrowing = try pass(peer, threads: 1, settings, borrow)
        try peer.close()
        return [
            Figure("first pass after opening", settings.reads, in: first, .readsPerSecond),
            Figure("1 thread", settings.reads, in: one, .readsPerSecond),
            Figure("2 threads", settings.reads, in: two, .readsPerSecond),
            Figure("1 thread, one field", settings.reads, in: borrowing, .readsPerSecond),
        ]
    }

    /// All reads once, shared by the threads.
    private static func pass(
        _ peer: any Peer, threads: Int, _ settings: Settings,
        _ read: @escaping @Sendable (Range<Int>, Int, any Peer) throws -> Int
    ) throws -> Duration {
        let share = settings.reads / threads
        let rows = settings.rows
        let readers = try (0..<threads).map { $0 == 0 ? peer : try peer.reader() }
        let sum = Tally()
        let time = try ContinuousClock().measure {
            try Threads.run(threads) { thread in
                sum.add(try read(thread * share..<(thread + 1) * share, rows, readers[thread]))
            }
        }
        let expected = Expectation.readSum(reads: share * threads, rows: rows)
        try BenchmarkError.check(sum.value, expected, "sum of the totals read")
        for reader in readers where reader !== peer { try reader.close() }
        return time
    }

    /// Reads whole orders.
    @Sendable
    private static func copy(_ reads: Range<Int>, _ rows: Int, _ peer: any Peer) throws -> Int {
        var sum = 0
        for index in reads {
            let id = Generator.id(Generator.read(index, of: rows))
            sum += try peer.order(id)?.totalCents ?? 0
        }
        return sum
    }

    /// Reads one field of each order, where it lies.
    @Sendable
    private static func borrow(
        _ reads: Range<Int>, _ rows: Int, _ peer: any Peer
    ) throws -> Int {
        var sum = 0
        for index in reads {
            let id = Generator.id(Generator.read(index, of: rows))
            sum += try peer.totalCents(id) ?? 0
        }
        return sum
    }
}

import BenchmarkModel
import Foundation

/// W4: random reads by id.
enum Reads {
    static let workload = Workload(
        name: "W4", title: "reads by id", sides: Side.withoutAudit,
        fixtures: { $0 == .floor ? [] : [Preparation(.base, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let settings = bench.settings
        let peer: any Peer
        if side == .floor {
            peer = MemoryFloor(logging: nil, reserving: settings.rows, isIndexed: false)
            try Fixture.insertRows(0..<settings.rows, into: peer)
        } else {
            peer = try Peers.open(side, at: bench.place(of: .base, side))
        }
        var figures: [Figure] = []
        func measure(_ variant: String, threads: Int, _ read: @escaping Read) throws {
            let cost = try pass(peer, threads: threads, settings, read)
            figures.append(Figure(variant, settings.reads, in: cost, .readsPerSecond))
        }
        try measure("first pass after opening", threads: 1, copy)
        try measure("1 thread", threads: 1, copy)
        // One connection is one thread.
        if !side.isExclusive { try measure("2 threads", threads: 2, copy) }
        try measure("1 thread, one field", threads: 1, borrow)
        try peer.close()
        return figures
    }

    /// Reads a range of the reads, from a number of rows, and gives the sum of the totals.
    private typealias Read = @Sendable (Range<Int>, Int, any Peer) throws -> Int

    /// All reads once, shared by the threads.
    private static func pass(
        _ peer: any Peer, threads: Int, _ settings: Settings, _ read: @escaping Read
    ) throws -> Cost {
        let share = settings.reads / threads
        let rows = settings.rows
        let readers = try (0..<threads).map { $0 == 0 ? peer : try peer.reader() }
        // The first reader has read all before; a new connection maps the file anew.
        for (thread, reader) in readers.enumerated() where reader !== peer {
            _ = try read(thread * share..<(thread + 1) * share, rows, reader)
        }
        let sum = Tally()
        let cost = try Cost.measure {
            try Threads.run(threads) { thread in
                sum.add(try read(thread * share..<(thread + 1) * share, rows, readers[thread]))
            }
        }
        let expected = Expectation.readSum(reads: share * threads, rows: rows)
        try BenchmarkError.check(sum.value, expected, "sum of the totals read")
        for reader in readers where reader !== peer { try reader.close() }
        return cost
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

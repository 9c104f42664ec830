import BenchmarkModel
import Foundation

/// What an app on a phone waits for and holds: a process that opens a small store.
enum Phone {
    static let workload = Workload(
        name: "phone", title: "an app opens a small store", sides: Side.withoutAudit,
        fixtures: { [Preparation(.base, $0)] }, measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let directory = try bench.copy(of: .base, side)
        return try Probe.run(
            .phone, in: bench, side.rawValue, directory.path(percentEncoded: false))
    }

    // MARK: In the measured process

    /// Opens a side's files, reads one row, then all.
    static func open(
        _ words: [String], since launch: UInt64, _ bench: Bench
    ) throws -> ProbeResult {
        guard words.count == 2, let side = Side(rawValue: words[0]) else {
            throw BenchmarkError("phone SIDE FOLDER")
        }
        let rows = bench.settings.rows
        let id = Generator.id(rows / 2)
        let started = Probe.cost(since: launch)
        var peer: (any Peer)?
        let opening = try Cost.measure {
            peer = try Peers.reopen(side, at: URL(filePath: words[1]), rows: rows)
        }
        guard let peer else { throw BenchmarkError("not opened") }
        var order: Order?
        let reading = try Cost.measure { order = try peer.order(id) }
        let opened = Memory.residentBytes
        try BenchmarkError.check(order, Generator.order(rows / 2), "row \(rows / 2)")
        let readingAll = try Cost.measure {
            for row in 0..<rows { _ = try peer.order(Generator.id(row)) }
        }
        let read = Memory.residentBytes
        try Checks.holds(peer, rows: rows)
        let first = started + opening + reading
        return ProbeResult(
            figures: [
                Figure("process start to first read", first.wall * 1e3, .milliseconds, first),
                Figure("opening", opening.wall * 1e3, .milliseconds, opening),
                Figure("first read", reading.wall * 1e6, .microseconds, reading),
                Figure("all rows read by id", readingAll.wall * 1e3, .milliseconds, readingAll),
                Figure("memory of the process, opened", Double(opened), .bytes),
                Figure("memory of the process, all rows read", Double(read), .bytes),
            ], kept: peer)
    }
}

import BenchmarkModel
import Foundation

/// W7: from the start of a process to its first read.
enum Opening {
    static let workload = Workload(
        name: "W7", title: "process start to first read", sides: Side.withoutAudit,
        fixtures: { side in
            switch side.preparer {
            case .skyros, .sqlite:
                [.base, .killedBlocks, .killedUsual].map { Preparation($0, side) }
                    + (side == .skyros ? [Preparation(.killedTail, side)] : [])
            case .floor: [Preparation(.base, .sqlite), Preparation(.history, .floor)]
            default: []
            }
        },
        fixturesOfGrown: { [Preparation(.base, $0 == .floor ? .sqlite : $0)] },
        measure: measure)

    static let besideScan = "after closing, beside all rows decoded in C"

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        try clean(side, bench) + (bench.settings.isGrown ? [] : killed(side, bench))
    }

    /// A store that was closed in order. Each round opens another copy: a process that ends
    /// without closing leaves the files in another condition.
    private static func clean(_ side: Side, _ bench: Bench) throws -> [Figure] {
        if side == .floor {
            let file = try SQLitePeer.file(in: bench.copy(of: .base, .sqlite))
            return try Probe.run(.scan, in: bench, file.path(percentEncoded: false))
                .map { $0.named(besideScan) }
        }
        let figure = try start(side, bench.copy(of: .base, side), .inserted, bench)
        return (["after closing"] + (side == .skyros ? [besideScan] : [])).map(figure.named)
    }

    private static func killed(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let rows = TextTable.count(bench.settings.rows)
        let tail = TextTable.count(bench.settings.tailEvents)
        var figures: [Figure] = []
        if side == .skyros || side == .floor {
            // The floor has no checkpoint: its log holds the rows and the updates.
            let figure =
                side == .floor
                ? try start(side, bench.place(of: .history, side), .versions, bench)
                : try start(side, bench.copy(of: .killedTail, side), .updated, bench)
            figures.append(figure.named("killed, \(tail) single updates, no checkpoint"))
        }
        if side == .floor { return figures }
        let blocks = try start(side, killedCopy(of: .killedBlocks, side, bench), .inserted, bench)
        let usual = try start(side, killedCopy(of: .killedUsual, side, bench), .updated, bench)
        return figures + [
            blocks.named("killed, \(rows) rows in blocks, no checkpoint"),
            usual.named("killed, \(tail) single updates, checkpoints as usual"),
        ]
    }

    /// The files of a killed process. SQLite's are opened in place, as its log has gigabytes and
    /// the first process recovers it each time; Skyros repairs its files once, so it gets a copy.
    private static func killedCopy(
        of fixture: Fixture, _ side: Side, _ bench: Bench
    ) throws -> URL {
        side == .skyros ? try bench.copy(of: fixture, side) : bench.place(of: fixture, side)
    }

    static func start(
        _ side: Side, _ directory: URL, _ content: Checks.Content, _ bench: Bench
    ) throws -> Figure {
        let figures = try Probe.run(
            .open, in: bench, side.rawValue, directory.path(percentEncoded: false),
            content.rawValue)
        guard let figure = figures.first else { throw BenchmarkError("no time of opening") }
        return figure
    }

    // MARK: In the measured process

    /// Opens a side's files, reads the first row, and says how long it took since `launch`.
    static func open(
        _ words: [String], since launch: UInt64, _ bench: Bench
    ) throws -> ProbeResult {
        guard words.count == 3, let side = Side(rawValue: words[0]),
            let content = Checks.Content(rawValue: words[2])
        else { throw BenchmarkError("open SIDE FOLDER CONTENT") }
        let peer = try Peers.reopen(
            side, at: URL(filePath: words[1]), rows: bench.settings.rows)
        let order = try peer.order(Generator.id(0))
        let cost = Probe.cost(since: launch)
        try BenchmarkError.check(
            order?.totalCents, Generator.order(0).totalCents, "total of the first row")
        try Checks.holds(content, peer, bench.settings)
        return ProbeResult(figures: [Figure("", cost.wall * 1e3, .milliseconds, cost)], kept: peer)
    }

    /// Reads every field of every row of a SQLite file, without making Swift's values of them.
    static func scan(
        _ words: [String], since launch: UInt64, _ bench: Bench
    ) throws -> ProbeResult {
        guard words.count == 1 else { throw BenchmarkError("scan FILE") }
        let count = try SQLiteScan.run(URL(filePath: words[0]))
        let cost = Probe.cost(since: launch)
        try BenchmarkError.check(count, bench.settings.rows, "rows scanned")
        return ProbeResult(figures: [Figure("", cost.wall * 1e3, .milliseconds, cost)])
    }
}

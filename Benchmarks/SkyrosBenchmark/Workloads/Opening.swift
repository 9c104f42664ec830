import BenchmarkModel
import Foundation

/// W7: from the start of a process to its first read.
enum Opening {
    static let workload = Workload(
        name: "W7", title: "process start to first read", sides: [.skyros, .sqlite, .floor],
        fixtures: { side in
            switch side {
            case .skyros, .sqlite:
                [.base, .killedBlocks, .killedUsual].map { Preparation($0, side) }
                    + (side == .skyros ? [Preparation(.killedTail, side)] : [])
            case .floor: [Preparation(.base, .sqlite), Preparation(.history, .floor)]
            case .sqliteAudit: []
            }
        },
        fixturesOfGrown: {
            $0 == .sqliteAudit ? [] : [Preparation(.base, $0 == .floor ? .sqlite : $0)]
        },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        try clean(side, bench) + (bench.settings.isGrown ? [] : killed(side, bench))
    }

    private static func clean(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let first = "after closing"
        let all = "after closing, beside all rows decoded in C"
        if side == .floor {
            let file = SQLitePeer.file(in: bench.place(of: .base, .sqlite))
            let time = try Probe.run(
                .scan, file.path(percentEncoded: false), "\(bench.settings.rows)")
            return [Figure(all, time, .milliseconds)]
        }
        let time = try start(side, bench.place(of: .base, side))
        return (side == .skyros ? [first, all] : [first]).map {
            Figure($0, time, .milliseconds)
        }
    }

    private static func killed(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let rows = TextTable.count(bench.settings.rows)
        let tail = TextTable.count(bench.settings.tailEvents)
        var figures: [Figure] = []
        if side != .sqlite {
            let directory =
                side == .floor
                ? bench.place(of: .history, side) : try bench.copy(of: .killedTail, side)
            figures.append(
                Figure(
                    "killed, \(tail) single updates, no checkpoint", try start(side, directory),
                    .milliseconds))
        }
        if side == .floor { return figures }
        return try figures + [
            Figure(
                "killed, \(rows) rows in blocks, no checkpoint",
                start(side, killedCopy(of: .killedBlocks, side, bench)), .milliseconds),
            Figure(
                "killed, \(tail) single updates, checkpoints as usual",
                start(side, killedCopy(of: .killedUsual, side, bench)), .milliseconds),
        ]
    }

    /// The files of a killed process. SQLite's are opened in place, as its log has gigabytes and
    /// the first process recovers it each time; Skyros repairs its files once, so it gets a copy.
    private static func killedCopy(
        of fixture: Fixture, _ side: Side, _ bench: Bench
    ) throws -> URL {
        side == .skyros ? try bench.copy(of: fixture, side) : bench.place(of: fixture, side)
    }

    private static func start(_ side: Side, _ directory: URL) throws -> Double {
        try Probe.run(.open, side.rawValue, directory.path(percentEncoded: false))
    }

    // MARK: In the measured process

    /// Opens a side's files, reads the first row, and says how long it took since `launch`.
    static func open(_ words: [String], since launch: UInt64) throws -> ProbeResult {
        guard words.count == 2, let side = Side(rawValue: words[0]) else {
            throw BenchmarkError("open SIDE FOLDER")
        }
        let directory = URL(filePath: words[1])
        let peer: any Peer =
            if side == .floor {
                try DictionaryFloor(folding: directory.appending(path: "log"))
            } else {
                try Peers.open(side, at: directory, PeerOptions(checkpoints: false))
            }
        let order = try peer.order(Generator.id(0))
        let time = Probe.milliseconds(since: launch)
        try BenchmarkError.check(
            order?.totalCents, Generator.order(0).totalCents, "total of the first row")
        return ProbeResult(result: time, kept: peer)
    }

    /// Reads every field of every row of a SQLite file, without making Swift's values of them.
    static func scan(_ words: [String], since launch: UInt64) throws -> ProbeResult {
        guard words.count == 2, let rows = Int(words[1]) else {
            throw BenchmarkError("scan FILE ROWS")
        }
        let count = try SQLiteScan.run(URL(filePath: words[0]))
        let time = Probe.milliseconds(since: launch)
        try BenchmarkError.check(count, rows, "rows scanned")
        return ProbeResult(result: time)
    }
}

import BenchmarkModel
import Foundation

/// W14: short sessions of an app, each of which opens the store, writes a little and closes it.
///
/// Each leaves a small segment of the log, and the store merges them now and then.
enum Sessions {
    static let workload = Workload(
        name: "W14", title: "short sessions", sides: [.skyros, .sqlite, .sqliteExclusive],
        measure: measure)

    private static let count = 64
    private static let inserts = 300

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let clock = ContinuousClock()
        var times: [Double] = []
        let written = Memory.writtenBytes
        let cost = try Cost.measure {
            for session in 0..<count {
                let orders = Generator.orders(session * inserts..<(session + 1) * inserts)
                let start = clock.now
                let peer = try Peers.open(side, at: bench.scratch)
                for order in orders { try peer.insert(order) }
                try peer.close()
                times.append((clock.now - start).seconds * 1e3)
            }
        }
        let bytes = Memory.writtenBytes - written
        let rows = count * inserts
        try Checks.holds(Peers.reopen(side, at: bench.scratch, rows: rows), rows: rows)
        let sorted = times.sorted()
        let session = "open, \(inserts) inserts, close"
        return [
            Figure(
                "\(session): median", Statistics.percentile(0.5, of: sorted), .milliseconds, cost),
            Figure(
                "\(session): longest", Statistics.percentile(1, of: sorted), .milliseconds),
            Figure("written in \(count) sessions", Double(bytes), .bytes),
            Figure(
                "files after \(count) sessions", Double(fileCount(in: bench.scratch)), .files),
        ]
    }

    private static func fileCount(in directory: URL) -> Int {
        let all = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        return (all?.allObjects ?? []).count { ($0 as? URL)?.hasDirectoryPath == false }
    }
}

import BenchmarkModel
import Foundation
import Skyros

/// Rows with several versions, for the workloads about the past.
enum Versions {
    /// How many rows have many versions.
    static let rowCount = 100
    /// How many each of them has.
    static let perRow = 20

    /// The status that a row has in a version; 0 is what was inserted. No two that follow each
    /// other are equal.
    static func status(of row: Int, version: Int) -> Order.Status {
        let all = Order.Status.allCases
        let first = all.firstIndex(of: Generator.order(row).status) ?? 0
        return all[(first + version) % all.count]
    }

    /// Inserts all rows; gives the first of them 20 versions, in turns; and updates random rows.
    ///
    /// The audit table answers by an index whatever its length, and filling it takes minutes: it
    /// gets its rows 1,000 a block and no further updates.
    static func prepare(_ side: Side, at directory: URL, _ settings: Settings) throws {
        let peer = try Peers.open(
            side, at: directory,
            PeerOptions(checkpoints: side != .skyros, expectedRows: settings.rows))
        if side == .sqliteAudit {
            try Fixture.insertRows(0..<settings.rows, into: peer)
        } else {
            _ = try SingleInserts.insert(0..<settings.rows, into: peer)
        }
        for version in 1..<perRow {
            for row in 0..<rowCount {
                let status = status(of: row, version: version)
                try peer.setStatus(status, of: Generator.id(row))
            }
        }
        if side != .sqliteAudit {
            for (row, status) in updates(settings) {
                try peer.setStatus(status, of: Generator.id(row))
            }
        }
        try peer.close()
        if side == .skyros {
            try removeCheckpoint(in: directory)
            // A store that was filled as fast as possible has no complete index yet.
            try Archive(at: directory).indexHistory()
        }
    }

    /// Random updates of the rows that do not have many versions. Each changes its row.
    static func updates(
        _ settings: Settings
    ) -> AnyIterator<(row: Int, status: Order.Status)> {
        let all = Order.Status.allCases
        let rows = settings.rows - rowCount
        var current = (0..<rows).map { Generator.order(rowCount + $0).status }
        var indexes = (0..<settings.tailEvents).makeIterator()
        return AnyIterator {
            guard let index = indexes.next() else { return nil }
            var (row, status) = Generator.update(index, of: rows)
            if status == current[row] {
                status = all[(Int(status.floorCode) + 1) % all.count]
            }
            current[row] = status
            return (rowCount + row, status)
        }
    }

    /// How many changes the log of the history has. Each changes a row: what does not leaves no
    /// event.
    static func changeCount(_ settings: Settings) -> Int {
        settings.rows + rowCount * (perRow - 1) + settings.tailEvents
    }

    static func removeCheckpoint(in directory: URL) throws {
        try FileManager.default.removeItem(at: directory.appending(path: "checkpoint.sqlite"))
    }
}

import BenchmarkModel
import Foundation

/// What must be true of a side after it has worked.
enum Checks {
    /// What a side's files hold.
    enum Content: String {
        /// The rows as they were inserted.
        case inserted
        /// The rows, after as many updates as a killed process has made.
        case updated
        /// The rows with versions of `Fixture.history`.
        case versions
    }

    /// The number of rows, and a sample of them compared field by field.
    static func holds(_ peer: any Peer, rows: Int) throws {
        try BenchmarkError.check(peer.count(), rows, "number of rows")
        let samples = 1_000
        for row in [0, rows - 1] + (0..<samples).map({ Generator.read($0, of: rows) }) {
            try BenchmarkError.check(
                peer.order(Generator.id(row)), Generator.order(row), "row \(row)")
        }
    }

    /// The number of rows, and all fields of each row that was updated.
    static func holds(_ peer: any Peer, rows: Int, updates: Range<Int>) throws {
        try BenchmarkError.check(peer.count(), rows, "number of rows")
        var expected: [Int: Order.Status] = [:]
        for index in updates {
            let (row, status) = Generator.update(index, of: rows)
            expected[row] = status
        }
        for (row, status) in expected {
            var order = Generator.order(row)
            order.status = status
            try BenchmarkError.check(peer.order(order.id), order, "row \(row)")
        }
    }

    static func holds(_ content: Content, _ peer: any Peer, _ settings: Settings) throws {
        switch content {
        case .inserted: try holds(peer, rows: settings.rows)
        case .updated: try holds(peer, rows: settings.rows, updates: 0..<settings.tailEvents)
        case .versions:
            try holdsVersions(settings, count: peer.count()) { try peer.order($0) }
        }
    }

    /// The last versions of the rows of `Fixture.history`.
    static func holdsVersions(
        _ settings: Settings, count: Int, _ order: (UUID) throws -> Order?
    ) throws {
        try BenchmarkError.check(count, settings.rows, "number of rows")
        var expected: [Int: Order.Status] = [:]
        for (row, status) in Versions.updates(settings) { expected[row] = status }
        for row in 0..<Versions.rowCount {
            expected[row] = Versions.status(of: row, version: Versions.perRow - 1)
        }
        for row in expected.keys.sorted().prefix(2_000) {
            var last = Generator.order(row)
            last.status = expected[row] ?? last.status
            try BenchmarkError.check(order(last.id), last, "row \(row)")
        }
    }
}

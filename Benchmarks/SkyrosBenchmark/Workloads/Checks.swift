import BenchmarkModel
import Foundation

/// What must be true of a side after it has worked.
enum Checks {
    /// The number of rows, and a sample of them compared field by field.
    static func holds(_ peer: any Peer, rows: Int) throws {
        try BenchmarkError.check(peer.count(), rows, "number of rows")
        let samples = 1_000
        for sample in 0..<samples {
            let row = Generator.read(sample, of: rows)
            try BenchmarkError.check(
                peer.order(Generator.id(row)), Generator.order(row), "row \(row)")
        }
    }

    /// The status of each row that was updated.
    static func hasUpdates(_ updates: Range<Int>, rows: Int, _ peer: any Peer) throws {
        var expected: [Int: Order.Status] = [:]
        for index in updates {
            let (row, status) = Generator.update(index, of: rows)
            expected[row] = status
        }
        for (row, status) in expected {
            try BenchmarkError.check(
                peer.order(Generator.id(row))?.status, status, "status of row \(row)")
        }
    }
}

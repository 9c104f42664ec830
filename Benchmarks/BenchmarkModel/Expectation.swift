/// What a workload must find, computed from the generator only: a measurement that does not
/// reproduce it has measured something else.
public enum Expectation {
    /// The sum of the totals over the first `reads` reads.
    public static func readSum(reads: Int, rows: Int) -> Int {
        (0..<reads).reduce(0) { sum, index in
            sum + Generator.Facts(row: Generator.read(index, of: rows)).totalCents
        }
    }

    /// How many rows the first `queries` queries find, and the sum of their totals.
    public static func queryResult(
        queries: Int, rows: Int, limit: Int
    ) -> (rowCount: Int, totalCents: Int) {
        var groups: [Group: [(createdAt: Double, totalCents: Int)]] = [:]
        for row in 0..<rows {
            let facts = Generator.Facts(row: row)
            groups[Group(restaurant: facts.restaurant, status: facts.status), default: []]
                .append((facts.createdAt, facts.totalCents))
        }
        let newest = groups.mapValues { rows in
            rows.sorted { $0.createdAt > $1.createdAt }.prefix(limit)
        }
        var rowCount = 0
        var sum = 0
        for index in 0..<queries {
            let (restaurant, status) = Generator.queryNumbers(index)
            let found = newest[Group(restaurant: restaurant, status: status)] ?? []
            rowCount += found.count
            sum += found.reduce(0) { $0 + $1.totalCents }
        }
        return (rowCount, sum)
    }

    private struct Group: Hashable {
        let restaurant: Int
        let status: Int
    }
}

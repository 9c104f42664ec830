import Foundation

/// Numbers that every benchmark on this data has reproduced. One that does not measures something
/// else.
public enum CheckValues {
    public static let rows = 1_000_000
    public static let reads = 1_000_000
    public static let queries = 2_000
    public static let queryLimit = 20

    /// The sum of the totals over the reads.
    public static let readSum = 5_247_165_181
    /// The number of rows that the queries find before any update, and the sum of their totals.
    public static let foundRows = 40_000
    public static let foundTotalCents = 208_954_922

    private static let first = (
        id: "E9EA8043-86F8-C572-2DB4-CFF9A264C3A5",
        text: "customer-9 restaurant-185 done 8770 1700000000.169 8 nil Optional(4.5)"
    )
    private static let last = (
        id: "61DD3C37-9590-2EAD-381C-91112472527B",
        text: "customer-7697 restaurant-166 delivering 2789 1700249999.93 2 "
            + #"Optional("salt door arrival allergy call twice") Optional(1.0)"#
    )

    /// The first check value of single rows that the generator does not reproduce; nil if it is
    /// right.
    public static func rowMismatch() -> String? {
        for (row, expected) in [(0, first), (rows - 1, last)] {
            let order = Generator.order(row)
            guard Generator.id(row) == order.id, order.id.uuidString == expected.id,
                text(order) == expected.text
            else { return "row \(row) is \(order.id) \(text(order))" }
        }
        return nil
    }

    /// The first check value that the generator does not reproduce; nil if it is right. It makes a
    /// million rows: about a second.
    public static func mismatch() -> String? {
        if let mismatch = rowMismatch() { return mismatch }
        let sum = Expectation.readSum(reads: reads, rows: rows)
        guard sum == readSum else { return "the reads have the sum \(sum)" }
        let found = Expectation.queryResult(queries: queries, rows: rows, limit: queryLimit)
        guard found == (foundRows, foundTotalCents) else { return "the queries find \(found)" }
        return nil
    }

    private static func text(_ order: Order) -> String {
        """
        \(order.customer) \(order.restaurant) \(order.status) \(order.totalCents) \
        \(order.createdAt) \(order.items) \(order.note.debugDescription) \
        \(order.rating.debugDescription)
        """
    }
}

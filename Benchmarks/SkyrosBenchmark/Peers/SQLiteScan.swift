import CSQLite
import Foundation

/// Loads a whole table as a program in C would: one statement, all columns, the bytes copied to a
/// buffer.
enum SQLiteScan {
    /// - Returns: how many rows there were.
    static func run(_ file: URL) throws -> Int {
        let database = try SQLiteDatabase(at: file, PeerOptions())
        let statement = try SQLiteStatement(
            database,
            """
            SELECT id, customer, restaurant, status, note, totalCents, createdAt, items, rating
            FROM orders
            """)
        var rows: [UInt8] = []
        var count = 0
        while try statement.step() {
            count += 1
            for column: Int32 in 0..<5 { statement.copyBytes(column, to: &rows) }
            for column: Int32 in 5..<9 {
                withUnsafeBytes(of: statement.double(column)) { rows.append(contentsOf: $0) }
            }
        }
        statement.finalize()
        try database.close()
        return count
    }
}

import CSQLite

/// A table whose rows the program provides, so that SQL runs on them where they are.
///
/// A virtual table belongs to one connection, and so to one thread at a time.
package protocol VirtualTable: AnyObject {
    /// The columns as the inside of CREATE TABLE spells them; `HIDDEN` in a type leaves a column
    /// out of `SELECT *`.
    var columns: String { get }

    /// Chooses how to find the rows that fulfil some of these constraints.
    func plan(_ constraints: [VirtualConstraint]) -> VirtualPlan

    func makeCursor() -> any VirtualCursor
}

/// A condition on a column; SQLite gives the value when the cursor starts.
package struct VirtualConstraint {
    package enum Operator: Sendable {
        case equal, greater, greaterOrEqual, less, lessOrEqual
    }

    /// The column's index; -1 for the row's number.
    package let column: Int
    /// The operator; nil for one that no plan uses.
    package let `operator`: Operator?
    /// Whether texts are compared by their bytes.
    package let isBinary: Bool

    package init(column: Int, operator: Operator?, isBinary: Bool) {
        self.column = column
        self.operator = `operator`
        self.isBinary = isBinary
    }
}

/// The choice of a virtual table.
package struct VirtualPlan {
    /// A number by which the cursor knows the plan.
    package var number: Int32
    /// The constraints, by their indexes, whose values the cursor gets, in this order. SQLite
    /// checks each row again, so the cursor may give more rows than those that fulfil them.
    package var constraints: [Int]
    /// The estimated number of rows.
    package var rowCount: Int
    /// The estimated cost, in rows read.
    package var cost: Double

    package init(number: Int32, constraints: [Int], rowCount: Int, cost: Double) {
        self.number = number
        self.constraints = constraints
        self.rowCount = rowCount
        self.cost = cost
    }
}

/// A position in the rows of a virtual table.
package protocol VirtualCursor: AnyObject {
    /// Goes to the first row of a plan.
    func start(_ plan: Int32, _ values: [VirtualValue]) throws

    /// Goes to the next row.
    func advance() throws

    /// Whether there is no current row.
    var isAtEnd: Bool { get }

    /// The number of the current row.
    var rowNumber: Int64 { get }

    /// Sets the value of a column of the current row.
    func value(of column: Int, to result: VirtualResult) throws
}

/// A value that SQL compares with a column.
package enum VirtualValue {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT: self = .text(Self.bytes(of: value))
        case SQLITE_BLOB: self = .blob(Self.bytes(of: value))
        default: self = .null
        }
    }

    private static func bytes(of value: OpaquePointer?) -> [UInt8] {
        // The address comes first: reading it may convert the value and change the length.
        let start = sqlite3_value_blob(value)
        let count = Int(sqlite3_value_bytes(value))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}

/// The place for the value of a column. Without a call of `set` the value is NULL.
package struct VirtualResult {
    let context: OpaquePointer?

    package func set(integer value: Int64) { sqlite3_result_int64(context, value) }

    package func set(real value: Double) { sqlite3_result_double(context, value) }

    package func set(text: String) {
        var text = text
        text.withUTF8 { set(text: UnsafeRawBufferPointer($0)) }
    }

    /// Sets a copy of bytes in UTF-8.
    package func set(text bytes: UnsafeRawBufferPointer) {
        // A null address would be NULL instead of an empty text.
        guard let start = bytes.baseAddress else {
            return sqlite3_result_text(context, "", 0, skyros_sqlite3_transient())
        }
        // The cast is sound: SQLite copies the bytes.
        sqlite3_result_text64(
            context, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
            skyros_sqlite3_transient(), UInt8(SQLITE_UTF8))
    }

    /// Sets a copy of bytes.
    package func set(blob bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
        sqlite3_result_blob64(context, start, UInt64(bytes.count), skyros_sqlite3_transient())
    }
}

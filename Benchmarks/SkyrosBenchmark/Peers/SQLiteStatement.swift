import CSQLite
import Foundation

/// A prepared statement that binds and reads without copying more than it must.
///
/// Unchecked for the reason that `SQLiteDatabase` gives.
final class SQLiteStatement: @unchecked Sendable {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase
    /// Where the bytes of bound values stay until the statement is reset.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
    private var scratchCount = 0

    init(_ database: SQLiteDatabase, _ sql: String) throws {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try database.check(sqlite3_prepare_v3(database.handle, sql, -1, flags, &handle, nil))
        guard let handle else { throw BenchmarkError("SQLite: no statement in \(sql)") }
        self.handle = handle
        self.database = database
    }

    deinit {
        scratch.deallocate()
    }

    func finalize() {
        sqlite3_finalize(handle)
    }

    // MARK: Running

    /// Whether there is a row.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        try database.check(code)
        return false
    }

    func reset() {
        sqlite3_reset(handle)
        scratchCount = 0
    }

    /// Runs a statement that gives no rows.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    // MARK: Binding

    func bind(_ value: UUID, at index: Int32) {
        withUnsafeBytes(of: value.uuid) { bytes in
            let kept = keep(bytes)
            sqlite3_bind_blob(
                handle, index, kept.baseAddress, Int32(kept.count), skyros_sqlite3_static())
        }
    }

    func bind(_ value: String?, at index: Int32) {
        guard var value else { return bindNull(at: index) }
        value.withUTF8 { bytes in
            let kept = keep(UnsafeRawBufferPointer(bytes))
            sqlite3_bind_text(
                handle, index, kept.assumingMemoryBound(to: CChar.self).baseAddress,
                Int32(kept.count), skyros_sqlite3_static())
        }
    }

    func bind(_ value: Int, at index: Int32) {
        sqlite3_bind_int64(handle, index, Int64(value))
    }

    func bind(_ value: Double?, at index: Int32) {
        guard let value else { return bindNull(at: index) }
        sqlite3_bind_double(handle, index, value)
    }

    private func bindNull(at index: Int32) {
        sqlite3_bind_null(handle, index)
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        precondition(scratchCount + bytes.count <= scratch.count, "an order is larger than thought")
        let place = scratch[scratchCount..<scratchCount + bytes.count]
        UnsafeMutableRawBufferPointer(rebasing: place).copyMemory(from: bytes)
        scratchCount += bytes.count
        return UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: place))
    }

    // MARK: Reading

    func uuid(_ column: Int32) -> UUID {
        guard let bytes = sqlite3_column_blob(handle, column) else {
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// Adds the bytes of a text or blob to a buffer.
    func copyBytes(_ column: Int32, to buffer: inout [UInt8]) {
        guard let bytes = sqlite3_column_blob(handle, column) else { return }
        let count = Int(sqlite3_column_bytes(handle, column))
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func integer(_ column: Int32) -> Int {
        Int(sqlite3_column_int64(handle, column))
    }

    func double(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }

    func optionalDouble(_ column: Int32) -> Double? {
        isNull(column) ? nil : double(column)
    }

    private func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }
}

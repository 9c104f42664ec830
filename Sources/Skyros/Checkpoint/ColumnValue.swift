import Foundation
import SkyrosSQLite

/// The value of a typed column: the field's value if SQL can hold it, otherwise the nearest value
/// that it can hold, or NULL.
///
/// Columns are for people and for SQL; records are never read from them. A value has a storage
/// class that the affinity of its column does not change.
enum ColumnValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// UTF-8 in the memory of the record.
    case utf8(UnsafeRawBufferPointer)
    /// Bytes in the memory of the record.
    case blob(UnsafeRawBufferPointer)

    /// What a column shows of a field: NULL too for a value that cannot be read, in a record of
    /// more than `recordBytesMax`, and for a text or bytes that are longer than `bytesLeft`. O(n).
    ///
    /// - Parameters:
    ///   - value: nil if the record has no such field.
    ///   - bytesLeft: what the columns of the row may still show, `rowBytesMax` before the first.
    static func shown(
        _ value: UnsafeRawBufferPointer?, of record: UnsafeRawBufferPointer, in kind: ColumnKind,
        within bytesLeft: inout Int
    ) -> ColumnValue {
        guard let value, record.count <= recordBytesMax,
            let shown = try? ColumnValue(of: value, in: kind, bytesLeft),
            shown.byteCount <= bytesLeft
        else { return .null }
        bytesLeft -= shown.byteCount
        return shown
    }

    /// The same for a single column.
    static func shown(
        _ value: UnsafeRawBufferPointer?, of record: UnsafeRawBufferPointer, in kind: ColumnKind
    ) -> ColumnValue {
        var bytesLeft = rowBytesMax
        return shown(value, of: record, in: kind, within: &bytesLeft)
    }

    /// Record and columns must stay below 1,000,000,000 bytes, SQLite's limit for a row.
    private static let recordBytesMax = 256 << 20

    /// What the columns of a row show together. JSON may be 40 times as long as CBOR.
    static let rowBytesMax = 512 << 20

    /// The value that a column of `kind` shows for a field with this CBOR. O(n).
    private init(
        of value: UnsafeRawBufferPointer, in kind: ColumnKind, _ bytesMax: Int
    ) throws(CBORError) {
        if let plain = try Self.plain(value, kind) {
            self = plain
        } else {
            self = Self.general(try FieldValue(cbor: value), kind, bytesMax)
        }
    }

    /// The length of a text or of bytes.
    private var byteCount: Int {
        switch self {
        case .null, .integer, .real: 0
        case .text(let text): text.utf8.count
        case .utf8(let bytes), .blob(let bytes): bytes.count
        }
    }

    /// The value of a field that fits the kind of its column, made without a `FieldValue`; nil for
    /// all others.
    @inline(__always)
    private static func plain(
        _ value: UnsafeRawBufferPointer, _ kind: ColumnKind
    ) throws(CBORError) -> ColumnValue? {
        var reader = CBORReader(value)
        switch (kind, try reader.peekType()) {
        case (.integer, .unsigned), (.integer, .negative):
            return Int64(exactly: try reader.readInteger(Int128.self)).map { .integer($0) }
        case (.text, .text):
            let content = try reader.readUTF8()
            return SQLiteText.isPlain(content) ? .utf8(content) : nil
        case (.real, .simple) where try reader.peekByte() >= CBORFormat.Byte.half:
            return floating(try reader.readDouble())
        case (.bytes, .bytes):
            return .blob(try reader.readBytes())
        case (.uuid, .tag) where reader.isUUID(at: 0):
            return .text(try reader.readUUID().text)
        default:
            return nil
        }
    }

    private static func general(
        _ value: FieldValue, _ kind: ColumnKind, _ bytesMax: Int
    ) -> ColumnValue {
        if case .null = value { return .null }
        switch kind {
        case .integer, .boolean: return integral(value)
        case .real, .date: return number(value).map { floating($0) } ?? .null
        case .text, .uuid, .url, .decimal:
            let text = value.jsonString ?? value.jsonText(bytesMax: bytesMax)
            return text.map { .text(visible($0)) } ?? .null
        case .json: return value.jsonText(bytesMax: bytesMax).map { .text($0) } ?? .null
        case .bytes: return .null
        }
    }

    /// NULL for NaN, as SQLite stores it, and 0.0 for -0.0.
    private static func floating(_ number: Double) -> ColumnValue {
        number.isNaN ? .null : .real(number + 0.0)
    }

    /// A whole number of 64 bits as it is; of others the nearest float, which is an integer too if
    /// it is whole: the column's affinity would convert it.
    private static func integral(_ value: FieldValue) -> ColumnValue {
        if let whole = whole(value) { return .integer(whole) }
        guard let number = number(value), !number.isNaN else { return .null }
        return Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }

    /// The integer that an integer or a decimal is; nil if it does not fit.
    private static func whole(_ value: FieldValue) -> Int64? {
        switch value {
        case .integer(let value): Int64(exactly: value)
        case .tagged(CBORFormat.Tag.decimal, .array(let parts)):
            FieldValue.decimalParts(parts)?.whole
        default: nil
        }
    }

    /// The nearest number to a number, boolean, date or decimal; nil for anything else.
    private static func number(_ value: FieldValue) -> Double? {
        switch value {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .double(let value): value
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .tagged(CBORFormat.Tag.decimal, _): value.jsonString.flatMap(Double.init)
        default: nil
        }
    }

    /// A text with a replacement character for each NUL, at which SQLite's functions end a text.
    private static func visible(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}

extension ColumnValue {
    /// Binds the value without a copy: the record must not change until the statement has run.
    @inline(__always)
    func bind(to statement: Statement, at parameter: Int32) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: parameter)
        case .integer(let value): try statement.bind(integer: value, at: parameter)
        case .real(let value): try statement.bind(real: value, at: parameter)
        case .text(let text): try statement.bind(string: text, at: parameter)
        case .utf8(let text): try statement.bind(text: text, at: parameter, .borrowed)
        case .blob(let bytes): try statement.bind(blob: bytes, at: parameter, .borrowed)
        }
    }

    /// Whether a column of the current row of `statement` holds this value.
    func equals(_ statement: Statement, at column: Int32) -> Bool {
        switch (self, statement.storageType(at: column)) {
        case (.null, .null): true
        case (.integer(let value), .integer): statement.integer(at: column) == value
        case (.real(let value), .real): statement.real(at: column) == value
        case (.text(let text), .text): statement.bytes(at: column).elementsEqual(text.utf8)
        case (.utf8(let bytes), .text), (.blob(let bytes), .blob):
            statement.bytes(at: column).elementsEqual(bytes)
        default: false
        }
    }
}

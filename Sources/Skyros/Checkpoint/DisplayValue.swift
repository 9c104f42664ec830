import Foundation
import SkyrosSQLite

/// What a column shows to a reader of SQL where it cannot hold the value itself.
///
/// It has the storage class of the column's type, so that no affinity changes it, or is NULL.
/// Loading does not look at it.
enum DisplayValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    /// The most useful approximation of `value` in a column of `kind`.
    init(of value: UnsafeRawBufferPointer, for kind: ColumnKind) throws(CBORError) {
        guard value.first != CBORFormat.Byte.null else {
            self = .null
            return
        }
        switch kind {
        case .integer, .boolean: self = Self.integral(Self.number(value))
        case .real, .date: self = Self.number(value).map { .real($0 + 0.0) } ?? .null
        case .text, .uuid, .url, .decimal, .json: self = .text(try Self.words(value, for: kind))
        case .bytes: self = .null
        }
    }

    func bind(to statement: Statement, at parameter: Int32) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: parameter)
        case .integer(let value): try statement.bind(integer: value, at: parameter)
        case .real(let value): try statement.bind(real: value, at: parameter)
        case .text(let value): try statement.bind(string: value, at: parameter)
        }
    }

    /// A whole number as an integer, as the affinity of the column would have it anyway.
    private static func integral(_ number: Double?) -> DisplayValue {
        guard let number else { return .null }
        // -0.0 is whole, too, and becomes 0.
        return Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }

    /// The number nearest to a number, boolean, date or decimal; nil for NaN and anything else.
    private static func number(_ value: UnsafeRawBufferPointer) -> Double? {
        if value.first == CBORFormat.Byte.true { return 1 }
        if value.first == CBORFormat.Byte.false { return 0 }
        if let digits = DecimalText.text(of: value) { return Double(digits) }
        var reader = CBORReader(value)
        if let integer = try? reader.readInteger(Int128.self) { return Double(integer) }
        reader = CBORReader(value)
        if let date = try? reader.readDate() {
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isNaN ? nil : seconds
        }
        reader = CBORReader(value)
        guard let number = try? reader.readDouble(), !number.isNaN else { return nil }
        return number
    }

    /// In a json column the JSON. In other columns of text the same without quotes, and a text
    /// as it is, save for a replacement character in the place of each NUL.
    private static func words(
        _ value: UnsafeRawBufferPointer, for kind: ColumnKind
    ) throws(CBORError) -> String {
        var reader = CBORReader(value)
        if kind != .json {
            if try reader.peekType() == .tag, try reader.readTag() != CBORFormat.Tag.url {
                reader = CBORReader(value)
            }
            if try reader.peekType() == .text { return visible(try reader.readText()) }
        }
        var json = CBORWriter(capacity: 128)
        _ = try JSONColumn.append(value, to: &json)
        let words = json.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        // What is in quotes here are digits, letters and base64, without escapes.
        let isQuoted = kind != .json && words.utf8.first == UInt8(ascii: "\"")
        return isQuoted ? String(words.dropFirst().dropLast()) : words
    }

    private static func visible(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}

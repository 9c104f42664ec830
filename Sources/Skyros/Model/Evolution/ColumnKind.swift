/// How a typed column shows the values of its field.
///
/// The first value of a field decides the kind of its column. `ColumnValue` says what a column
/// shows of a value that it cannot hold.
enum ColumnKind: String, CaseIterable, Sendable {
    /// An integer.
    case integer
    /// A float.
    case real
    /// A text.
    case text
    /// 0 or 1.
    case boolean
    /// A byte string.
    case bytes
    /// A UUID as text of 36 lowercase characters.
    case uuid
    /// A date as seconds since 2001-01-01T00:00:00Z.
    case date
    /// A URL as text.
    case url
    /// A decimal number as text in plain digits.
    case decimal
    /// An array, a map or anything else in its JSON form.
    case json

    /// The column's type in SQL. Its affinity changes no `ColumnValue` of the kind.
    var declaredType: String {
        switch self {
        case .integer: "INTEGER"
        case .real, .date: "REAL"
        case .text, .uuid, .url, .decimal, .json: "TEXT"
        case .boolean: "BOOLEAN"
        case .bytes: "BLOB"
        }
    }

    /// The kind for a field whose first value is this CBOR; nil for null, which decides
    /// nothing.
    init?(decidedBy value: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(value)
        switch try reader.peekType() {
        case .unsigned, .negative: self = .integer
        case .bytes: self = .bytes
        case .text: self = .text
        case .array, .map: self = .json
        case .simple:
            switch try reader.peekByte() {
            case CBORFormat.Byte.null: return nil
            case CBORFormat.Byte.true, CBORFormat.Byte.false: self = .boolean
            default: self = .real
            }
        case .tag:
            switch try reader.readTag() {
            case CBORFormat.Tag.positiveBignum, CBORFormat.Tag.negativeBignum: self = .integer
            case CBORFormat.Tag.uuid: self = .uuid
            case CBORFormat.Tag.date: self = .date
            case CBORFormat.Tag.url: self = .url
            case CBORFormat.Tag.decimal: self = .decimal
            default: self = .json
            }
        }
    }
}

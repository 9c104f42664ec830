/// How a column's values map to the values of its field.
///
/// The first value of a field decides its column's kind. A value of another kind, or one that
/// the column cannot give back exactly, stands in the row's `_exact`, and the column holds an
/// approximation for readers of SQL, or NULL.
enum ColumnKind: String, CaseIterable, Sendable {
    /// An integer that fits in 64 bits with sign.
    case integer
    /// A number with a fraction; neither NaN, which SQLite takes for NULL, nor -0.0, which it
    /// stores as 0.
    case real
    /// A text without NUL.
    case text
    /// 0 or 1.
    case boolean
    /// A string of bytes.
    case bytes
    /// A UUID as text of 36 lowercase characters.
    case uuid
    /// A date as seconds since 2001-01-01T00:00:00Z; neither NaN nor -0.0.
    case date
    /// A URL as text without NUL.
    case url
    /// A decimal number as text of its digits.
    case decimal
    /// An array, a map or anything else in its JSON form.
    case json

    /// The column's type in SQL. Its affinity leaves what we bind as it is: only integers and
    /// numbers that are not integers reach INTEGER and BOOLEAN columns, only numbers REAL ones,
    /// only text TEXT ones.
    var declaredType: String {
        switch self {
        case .integer: "INTEGER"
        case .real, .date: "REAL"
        case .text, .uuid, .url, .decimal, .json: "TEXT"
        case .boolean: "BOOLEAN"
        case .bytes: "BLOB"
        }
    }
}

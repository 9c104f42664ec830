import Foundation

extension ColumnKind {
    /// The kind of the values of a Swift type, as far as it can be told from the type.
    init?(ofType type: Any.Type?) {
        switch type {
        case is String.Type: self = .text
        case is Bool.Type: self = .boolean
        case is Double.Type, is Float.Type: self = .real
        case is any FixedWidthInteger.Type: self = .integer
        case is UUID.Type: self = .uuid
        case is Date.Type: self = .date
        case is URL.Type: self = .url
        case is Data.Type: self = .bytes
        case is Decimal.Type: self = .decimal
        case let optional as any OptionalType.Type: self.init(ofType: optional.wrapped)
        default: return nil
        }
    }
}

extension FieldConversion {
    /// The conversion from one kind to another; nil if there is none.
    static func named(from kind: ColumnKind, to target: ColumnKind) -> FieldConversion? {
        if target == .date, kind == .integer || kind == .real { return .secondsToDate }
        if kind == .date, target == .real { return .dateToSeconds }
        let end: [ColumnKind: String] = [.uuid: "UUID", .url: "URL"]
        let name = target.rawValue
        return FieldConversion(
            name: kind.rawValue + "To"
                + (end[target] ?? name.prefix(1).uppercased() + name.dropFirst()))
    }
}

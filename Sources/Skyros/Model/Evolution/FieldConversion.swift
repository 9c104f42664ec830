import Foundation

/// A conversion of a field's value by which `retype` changes the kind of a field.
///
/// It has a name, which the log records, and no code: tools without the app's types convert, too. A
/// value that is of the new kind already is kept. A value that cannot be converted exactly is an
/// error when the record is read, `StoreError` with `.evolutionFailed`. But `textToReal`,
/// `textToDate`, `secondsToDate` and `dateToSeconds` give the nearest float.
public struct FieldConversion: Hashable, Sendable {
    /// The name by which the log records the conversion.
    public let name: String
    /// The kind of the converted values.
    let target: ColumnKind
    private let body: @Sendable (FieldValue) -> FieldValue?

    private init(
        _ name: String, to target: ColumnKind,
        _ body: @escaping @Sendable (FieldValue) -> FieldValue?
    ) {
        self.name = name
        self.target = target
        self.body = body
    }

    /// The conversion with this name; nil if this version does not know it.
    init?(name: String) {
        guard let known = Self.all.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Why a value cannot be converted.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    func convert(_ value: FieldValue, of field: String) throws -> FieldValue {
        if let converted = body(value) { return converted }
        let bytes = try value.encoded()
        let kind = try bytes.withUnsafeBytes { try ColumnKind(decidedBy: $0) }
        if kind == target { return value }
        throw Failure(
            "the field \"\(field)\" has \(value.jsonText()), which \(name) cannot convert")
    }

    /// Whether the conversions have the same name.
    public static func == (a: FieldConversion, b: FieldConversion) -> Bool { a.name == b.name }

    /// Mixes in the name, which is what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension FieldConversion {
    /// 7 becomes "7".
    public static let integerToText = FieldConversion("integerToText", to: .text) { value in
        if case .integer(let number) = value { .text(String(number)) } else { nil }
    }
    /// "7" becomes 7; of decimal digits with a sign.
    public static let textToInteger = FieldConversion("textToInteger", to: .integer) { value in
        value.text.flatMap { Int128($0) }.map { .integer($0) }
    }
    /// 7 becomes 7.0, if a float has that value.
    public static let integerToReal = FieldConversion("integerToReal", to: .real) { value in
        guard case .integer(let number) = value else { return nil }
        return Double(exactly: number).map { .double($0) }
    }
    /// 7.0 becomes 7; other floats cannot be converted.
    public static let realToInteger = FieldConversion("realToInteger", to: .integer) { value in
        guard case .double(let number) = value else { return nil }
        return Int128(exactly: number).map { .integer($0) }
    }
    /// 0.5 becomes "0.5", in the fewest digits that give back every bit.
    public static let realToText = FieldConversion("realToText", to: .text) { value in
        guard case .double(let number) = value, number.isFinite else { return nil }
        return .text(number.description)
    }
    /// "0.5" becomes 0.5.
    public static let textToReal = FieldConversion("textToReal", to: .real) { value in
        guard let number = value.text.flatMap({ Double($0) }), number.isFinite else { return nil }
        return .double(number)
    }
    /// true becomes 1, false becomes 0.
    public static let booleanToInteger = FieldConversion("booleanToInteger", to: .integer) {
        value in
        value.bool.map { $0 ? 1 : 0 }
    }
    /// 1 becomes true, 0 becomes false; other integers cannot be converted.
    public static let integerToBoolean = FieldConversion("integerToBoolean", to: .boolean) {
        value in
        switch value {
        case .integer(0): false
        case .integer(1): true
        default: nil
        }
    }
    /// true becomes "true".
    public static let booleanToText = FieldConversion("booleanToText", to: .text) { value in
        value.bool.map { .text($0 ? "true" : "false") }
    }
    /// "true" becomes true, "false" becomes false; other texts cannot be converted.
    public static let textToBoolean = FieldConversion("textToBoolean", to: .boolean) { value in
        value.text.flatMap { Bool($0) }.map { .bool($0) }
    }
    /// A UUID becomes its text, in lowercase.
    public static let uuidToText = FieldConversion("uuidToText", to: .text) { value in
        value.uuid.map { .text($0.uuidString.lowercased()) }
    }
    /// The text of a UUID, in any case, becomes the UUID.
    public static let textToUUID = FieldConversion("textToUUID", to: .uuid) { value in
        value.text.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
    }
    /// Seconds since 1970, integer or float, become a date.
    public static let secondsToDate = FieldConversion("secondsToDate", to: .date) { value in
        guard let seconds = value.double, seconds.isFinite else { return nil }
        return .date(Date(timeIntervalSince1970: seconds))
    }
    /// A date becomes seconds since 1970, a float.
    public static let dateToSeconds = FieldConversion("dateToSeconds", to: .real) { value in
        value.date.map { .double($0.timeIntervalSince1970) }
    }
    /// A date becomes text in ISO 8601, UTC.
    public static let dateToText = FieldConversion("dateToText", to: .text) { value in
        value.date.map { .text(FieldValue.date($0).jsonString ?? "") }
    }
    /// A text in ISO 8601 with a zone, such as "2026-03-01T12:00:00Z", becomes a date. The calendar
    /// is Gregorian at all times, as that of `dateToText`.
    public static let textToDate = FieldConversion("textToDate", to: .date) { value in
        value.text.flatMap { DateText.date(of: $0) }.map { .date($0) }
    }
    /// A URL becomes its text.
    public static let urlToText = FieldConversion("urlToText", to: .text) { value in
        if case .tagged(CBORFormat.Tag.url, let text) = value { text } else { nil }
    }
    /// A text becomes a URL, if it is one.
    public static let textToURL = FieldConversion("textToURL", to: .url) { value in
        guard let text = value.text, URL(string: text) != nil else { return nil }
        return .tagged(CBORFormat.Tag.url, .text(text))
    }
    /// 7 becomes the decimal 7.
    public static let integerToDecimal = FieldConversion("integerToDecimal", to: .decimal) {
        value in
        guard case .integer(let number) = value else { return nil }
        return decimal(String(number))
    }
    /// "12.50" becomes the decimal 12.5; of plain digits with a sign and a point.
    public static let textToDecimal = FieldConversion("textToDecimal", to: .decimal) { value in
        value.text.flatMap { decimal($0) }
    }
    /// The decimal that plain digits mean; nil if `Decimal` does not hold all of them.
    private static func decimal(_ text: String) -> FieldValue? {
        let digits = text.drop { $0 == "+" || $0 == "-" }
        // `Decimal` reads the beginning of a text that is no number.
        guard text.count - digits.count <= 1, digits.count(where: { $0 == "." }) <= 1,
            digits.allSatisfy({ $0 == "." || ($0.isASCII && $0.isNumber) }),
            1...38 ~= digits.count(where: \.isNumber), let number = Decimal(string: text),
            !number.isNaN
        else { return nil }
        return try? FieldValue(number)
    }
    /// A decimal becomes text in plain digits.
    public static let decimalToText = FieldConversion("decimalToText", to: .text) { value in
        guard case .tagged(CBORFormat.Tag.decimal, _) = value else { return nil }
        return value.jsonString.map { .text($0) }
    }

    /// All conversions.
    static let all: [FieldConversion] = [
        .integerToText, .textToInteger, .integerToReal, .realToInteger, .realToText, .textToReal,
        .booleanToInteger, .integerToBoolean, .booleanToText, .textToBoolean, .uuidToText,
        .textToUUID, .secondsToDate, .dateToSeconds, .dateToText, .textToDate, .urlToText,
        .textToURL, .integerToDecimal, .textToDecimal, .decimalToText,
    ]
}

import Foundation

/// Values as JSON: in the tool, in descriptions and in the checkpoint's columns.
/// docs/mapping.md shows values of every kind. `FieldValue.init(json:)` reads JSON's types only.
extension FieldValue {
    /// The value as JSON. O(n log n) in the keys of a map.
    ///
    /// Bytes are base64, dates ISO 8601 in UTC, UUIDs, URLs and decimals text, and numbers that are
    /// not finite `"NaN"`, `"Infinity"` and `"-Infinity"`; docs/mapping.md shows every kind.
    public func jsonText(pretty: Bool = false) -> String {
        var writer = JSONWriter(isPretty: pretty)
        writer.append(self)
        return writer.text
    }

    /// The value as JSON; nil if that has more than `bytesMax` bytes, and is then not made whole.
    func jsonText(bytesMax: Int) -> String? {
        var writer = JSONWriter(isPretty: false, bytesMax: bytesMax)
        writer.append(self)
        return writer.isTooLong ? nil : writer.text
    }

    /// Whether parsing the value's JSON gives the same value: true for null, booleans, integers of
    /// any size, finite floats, texts, and arrays and maps of such values.
    public var isExactInJSON: Bool {
        switch self {
        case .null, .bool, .integer, .text: true
        case .double(let value): value.isFinite
        case .bytes, .uuid, .date: false
        case .array(let values): values.allSatisfy(\.isExactInJSON)
        case .map(let values): values.values.allSatisfy(\.isExactInJSON)
        case .tagged: jsonInteger.flatMap { try? FieldValue(json: $0) } == self
        }
    }

    /// The value as JSON for people: as `jsonText()`, with dates rounded to the microsecond.
    package func readableText() -> String {
        var writer = JSONWriter(isPretty: false, hasReadableDates: true)
        writer.append(self)
        return writer.text
    }

    /// The text of a value that is a string in JSON, with dates rounded to the microsecond.
    package var readableString: String? {
        if case .date(let date) = self { DateText.readableText(of: date) } else { jsonString }
    }

    /// The text of a value that is a string in JSON; nil for all others.
    package var jsonString: String? {
        switch self {
        case .text(let text): text
        case .double(let value) where value.isNaN: "NaN"
        case .double(.infinity): "Infinity"
        case .double(-.infinity): "-Infinity"
        case .bytes(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.text
        case .date(let date): DateText.text(of: date)
        case .tagged(CBORFormat.Tag.url, .text(let text)): text
        case .tagged(CBORFormat.Tag.decimal, .array(let parts)): Self.decimalText(parts)
        default: nil
        }
    }

    /// The digits of a decimal fraction; beyond an exponent of 200 they are followed by the
    /// exponent. Nil if the parts are not two integers.
    private static func decimalText(_ parts: [FieldValue]) -> String? {
        guard let parts = decimalParts(parts) else { return nil }
        let (sign, digits, exponent) = (parts.sign, parts.digits, parts.exponent)
        guard (-200...200).contains(exponent) else { return "\(sign)\(digits)E\(exponent)" }
        let shift = Int(exponent)
        if digits == "0" { return "0" }
        if shift >= 0 { return sign + digits + String(repeating: "0", count: shift) }
        let missing = max(0, 1 - shift - digits.count)
        let padded = String(repeating: "0", count: missing) + digits
        return "\(sign)\(padded.dropLast(-shift)).\(padded.suffix(-shift))"
    }

    /// A decimal fraction: its digits, times a power of ten.
    struct DecimalParts {
        let sign: String
        let digits: String
        let exponent: Int128

        /// The integer that it is; nil if it is none of 64 bits.
        var whole: Int64? {
            let significant = digits.reversed().drop { $0 == "0" }
            if significant.isEmpty { return 0 }
            let (zeros, overflow) = exponent.addingReportingOverflow(
                Int128(digits.count - significant.count))
            guard !overflow, 0..<19 ~= zeros else { return nil }
            let text = String(significant.reversed()) + String(repeating: "0", count: Int(zeros))
            return Int64(sign + text)
        }
    }

    /// The parts of a decimal fraction; nil if they are not two integers.
    static func decimalParts(_ parts: [FieldValue]) -> DecimalParts? {
        guard parts.count == 2, case .integer(let exponent) = parts[0],
            let mantissa = parts[1].jsonInteger
        else { return nil }
        let isNegative = mantissa.hasPrefix("-")
        return DecimalParts(
            sign: isNegative ? "-" : "",
            digits: isNegative ? String(mantissa.dropFirst()) : mantissa, exponent: exponent)
    }

    /// The digits of an integer or a bignum; nil for all other values.
    var jsonInteger: String? {
        switch self {
        case .integer(let value): String(value)
        case .tagged(CBORFormat.Tag.positiveBignum, .bytes(let data)):
            BignumText.digits(of: data)
        case .tagged(CBORFormat.Tag.negativeBignum, .bytes(let data)):
            BignumText.digits(of: data, plus: 1).map { "-" + $0 }
        default: nil
        }
    }
}

extension FieldValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as JSON.
    ///
    /// Foundation's description of a `Date` that is not a number traps.
    public var description: String { jsonText() }

    /// The value as JSON, as `description` gives it.
    public var debugDescription: String { jsonText() }
}

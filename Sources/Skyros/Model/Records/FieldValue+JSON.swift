import Foundation

extension FieldValue {
    /// The value as JSON, on one line, keys sorted; docs/mapping.md has the whole table.
    ///
    /// Numbers are exact: integers have no fraction, floating-point numbers always have one or
    /// an exponent. What JSON has no word for is text: bytes as base64, UUIDs, dates as ISO 8601,
    /// "NaN", "Infinity", "-Infinity".
    public func jsonText() -> String {
        var text = ""
        appendJSON(to: &text)
        return text
    }

    private func appendJSON(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let number): text += String(number)
        case .double(let number): text += Self.json(number)
        case .text(let content): Self.appendQuoted(content, to: &text)
        case .bytes(let data): Self.appendQuoted(data.base64EncodedString(), to: &text)
        case .uuid(let uuid): Self.appendQuoted(uuid.uuidString.lowercased(), to: &text)
        case .date(let date): Self.appendQuoted(DateText.text(date), to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.appendJSON(to: &text)
            }
            text += "]"
        case .map(let fields): Self.append(fields, to: &text)
        case .tagged(let tag, let content): Self.append(tag, content, to: &text)
        }
    }

    private static func append(_ fields: [String: FieldValue], to text: inout String) {
        text += "{"
        for (index, name) in fields.keys.sorted().enumerated() {
            if index > 0 { text += "," }
            appendQuoted(name, to: &text)
            text += ":"
            fields[name]?.appendJSON(to: &text)
        }
        text += "}"
    }

    private static func append(_ tag: UInt64, _ content: FieldValue, to text: inout String) {
        switch (tag, content) {
        case (CBORFormat.Tag.url, .text(let url)): appendQuoted(url, to: &text)
        case (CBORFormat.Tag.decimal, .array(let parts)):
            if let decimal = DecimalDigits.text(parts) { return appendQuoted(decimal, to: &text) }
            fallthrough
        default:
            append(["tag": .integer(Int128(tag)), "value": content], to: &text)
        }
    }

    private static func json(_ number: Double) -> String {
        if number.isNaN { return "\"NaN\"" }
        if number.isInfinite { return number < 0 ? "\"-Infinity\"" : "\"Infinity\"" }
        // Swift's description is the shortest text that reads back as the same number, and it
        // always has a fraction or an exponent.
        return number.description
    }

    private static func appendQuoted(_ content: String, to text: inout String) {
        text += "\""
        for scalar in content.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// Dates as text.
enum DateText {
    /// ISO 8601 in UTC, with as many digits of the second as it takes to name the very date:
    /// `2026-03-01T12:00:00.5Z`. Dates beyond the years 1 to 9999 are seconds since 2001.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        let whole = seconds.rounded(.down)
        guard (-63_114_076_800..<252_423_993_600).contains(seconds) else { return "\(seconds)s" }
        let base = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
        let fraction = seconds - whole
        guard fraction > 0 else { return base }
        let digits = "\(Decimal(fraction))".drop { $0 != "." }
        return base.dropLast() + digits + "Z"
    }
}

/// The digits of a decimal fraction.
enum DecimalDigits {
    /// The number that tag 4's content `[exponent, mantissa]` means, written out.
    static func text(_ parts: [FieldValue]) -> String? {
        guard parts.count == 2, case .integer(let exponent) = parts[0],
            case .integer(let mantissa) = parts[1], (-200...200).contains(exponent)
        else { return nil }
        let sign = mantissa < 0 ? "-" : ""
        let digits = String(mantissa.magnitude)
        if exponent >= 0 { return sign + digits + String(repeating: "0", count: Int(exponent)) }
        let places = Int(-exponent)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }
}

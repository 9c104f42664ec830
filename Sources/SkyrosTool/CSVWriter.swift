import Skyros

/// Writes CSV as in RFC 4180.
///
/// A value that a record does not have, or that is null, is an empty cell; an empty text is `""`.
/// Values that are neither texts nor numbers are JSON, and dates have at most six digits of the
/// second.
struct CSVWriter {
    /// Whether texts are written as they are that a spreadsheet would run as a formula. Otherwise
    /// they get an apostrophe in front.
    var keepsFormulas = false

    func line(_ names: [String]) -> String {
        names.map { cell(of: .text($0)) }.joined(separator: ",")
    }

    func line(_ values: [FieldValue?]) -> String {
        values.map { cell(of: $0) }.joined(separator: ",")
    }

    private func cell(of value: FieldValue?) -> String {
        switch value {
        case nil, .null: ""
        case .text(""): "\"\""
        case .text(let text): quoted(keepsFormulas ? text : withoutFormula(text))
        case .some(let value):
            if let text = value.readableString {
                // A URL is text; a date and a decimal number are not.
                quoted(keepsFormulas || value.isNumeric ? text : withoutFormula(text))
            } else {
                quoted(value.readableText())
            }
        }
    }

    /// A text that a spreadsheet does not take for a formula.
    ///
    /// Source: OWASP, "CSV Injection".
    private func withoutFormula(_ text: String) -> String {
        guard let first = text.unicodeScalars.first else { return text }
        let isFormula = "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(first)
        return isFormula ? "'" + text : text
    }

    private func quoted(_ text: String) -> String {
        // Unicode scalars, because "\r\n" is a single Character.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
            return text
        }
        return "\"" + text.replacingScalars(["\"": "\"\""]) + "\""
    }
}

extension FieldValue {
    /// Whether the value's text is a number or a date, which may begin with a sign.
    fileprivate var isNumeric: Bool {
        switch self {
        case .bool, .integer, .double, .date: true
        case .tagged(4, _): true
        default: false
        }
    }
}

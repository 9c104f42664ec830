extension String {
    /// The text with the characters escaped that a terminal does not print as they are: control
    /// characters (`\n`, `\t`, `\u{1B}`), and those that are invisible or change the order of the
    /// text around them (`\u{202E}`).
    ///
    /// Stored text may come from an attacker: a terminal executes control characters, and a text
    /// that is shown in another order deceives its reader.
    var showingControls: String {
        // Unicode scalars, because "\r\n" is a single Character.
        guard unicodeScalars.contains(where: \.isHidden) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case _ where scalar.isHidden:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, or one of format: bidirectional marks and
    /// overrides, zero-width characters, line separators, tags.
    fileprivate var isHidden: Bool {
        if value < 0x7F { return value < 0x20 }
        if value < 0xAD { return value <= 0x9F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default:
            // Letters and marks of width zero: Hangul fillers, combining grapheme joiner …
            return properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }
}

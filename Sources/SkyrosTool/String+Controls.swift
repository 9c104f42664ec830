extension String {
    /// The text with its control characters (C0, DEL and C1) escaped: `\n`, `\t`, `\u{1B}`.
    ///
    /// Stored text may come from an attacker, and a terminal executes control characters.
    var showingControls: String {
        // Unicode scalars, because "\r\n" is a single Character.
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case _ where scalar.isControl:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }
}

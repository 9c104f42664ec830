extension String {
    /// The text with its control characters (C0, DEL and C1) shown instead of sent: `\n`, `\t`,
    /// `\u{1B}`.
    ///
    /// What was stored may be anybody's, and a terminal obeys what is sent to it.
    var showingControls: String {
        // Scalars, because a line's end of two scalars is one character.
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

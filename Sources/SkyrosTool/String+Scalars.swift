extension String {
    /// The text with each of these Unicode scalars replaced by a text. O(length).
    ///
    /// To escape a text, use this and not `replacing(_:with:)`: a quote and a combining mark are a
    /// single Character, but shells, browsers and readers of CSV and SQL see the quote.
    func replacingScalars(_ replacements: [Unicode.Scalar: String]) -> String {
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = replacements[scalar] {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

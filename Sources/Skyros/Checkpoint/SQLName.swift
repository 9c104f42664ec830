/// Names of tables and columns, made from the names of entities and fields.
///
/// SQLite compares names without case, reserves some, and ends SQL at a NUL, so some names are
/// escaped. docs/checkpoint-format.md has the rule. It depends on the order of appearance, so the
/// checkpoint records the SQL name of each entity and field for readers.
enum SQLName {
    static let bytesMax = 100

    /// `name` as an identifier in SQL text.
    ///
    /// It works on scalars: for Swift, a quote and a combining mark are one character; for SQLite,
    /// the quote is still a quote.
    static func quoted(_ name: String) -> String {
        var result = "\"".unicodeScalars
        for scalar in name.unicodeScalars {
            if scalar == "\"" { result.append(scalar) }
            result.append(scalar)
        }
        result.append("\"")
        return String(result)
    }

    /// The form in which names are compared: ASCII letters in lower case.
    static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// The SQL name for `name`, given the folded names that are `taken`.
    static func unused(
        for name: String, taken: Set<[UInt8]>, isReserved: ([UInt8]) -> Bool
    ) -> String {
        let isPlain = name.utf8.allSatisfy { !isControl($0) }
        let folded = folded(name)
        let fits = (1...bytesMax).contains(folded.count)
        if isPlain, fits, !isReserved(folded), !taken.contains(folded) { return name }

        let base = (isReserved(folded) ? "~" : "") + cleaned(name)
        var number = 1
        while taken.contains(Self.folded("\(base)~\(number)")) { number += 1 }
        return "\(base)~\(number)"
    }

    /// Whether a table of this folded name is SQLite's, or the library's: later versions add some.
    static func isReservedTable(_ folded: [UInt8]) -> Bool {
        folded.starts(with: "sqlite_".utf8) || isReservedColumn(folded)
    }

    /// Whether a column of this folded name is the library's: later versions add some.
    static func isReservedColumn(_ folded: [UInt8]) -> Bool {
        folded.first == UInt8(ascii: "_")
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }

    /// `name` without control characters, cut at a character's boundary.
    private static func cleaned(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in name.unicodeScalars {
            let isPlain = !scalar.isASCII || !isControl(UInt8(truncatingIfNeeded: scalar.value))
            count += isPlain ? UTF8.width(scalar) : 1
            guard count <= bytesMax else { break }
            result.append(isPlain ? scalar : "_")
        }
        return String(result)
    }
}

/// What the compiler cannot check says why it holds.
///
/// The reason is a comment on the line or, in `//`, directly above its statement; or a comment
/// above the declaration that names what it excuses or contains a word that gives a reason.
enum Reasons {
    static let rule = Rule("The unchecked has its reason", file: findings)

    private struct Danger {
        let code: String
        let words: [String]
    }

    private static let dangers = [
        Danger(code: "@unchecked Sendable", words: ["unchecked"]),
        Danger(code: "nonisolated(unsafe)", words: ["unsafe"]),
        Danger(code: "unowned(unsafe)", words: ["unsafe"]),
        Danger(code: "@preconcurrency", words: ["preconcurrency"]),
        Danger(code: "unsafeBitCast", words: ["unsafe", "cast"]),
        Danger(code: "unsafeDowncast", words: ["unsafe", "cast"]),
    ]

    private static let reasonWords = [
        "because", "since", "guarded", "protected", "immutable", "never changes", "safe",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        dangers.flatMap { danger in
            file.code.indices.filter { file.code[$0].contains(danger.code) }.map { $0 + 1 }
                .filter { !hasReason(danger, at: $0, in: file) }
                .map { file.finding($0, "say in a comment above why \(danger.code) is right here") }
        }
    }

    private static func hasReason(_ danger: Danger, at line: Int, in file: SourceFile) -> Bool {
        if !file.comments[line - 1].allSatisfy(\.isWhitespace) { return true }
        let above = file.comment(above: statementStart(of: line, in: file))
        if !above.isEmpty && !above.contains("///") { return true }
        let around = file.declarations.last { $0.firstLine...$0.lastLine ~= line }
        let comment = file.comment(above: around?.firstLine ?? line).lowercased()
        return (danger.words + reasonWords).contains { comment.contains($0) }
    }

    /// The first line of the statement, or of the head of the declaration, that a line belongs to.
    private static func statementStart(of line: Int, in file: SourceFile) -> Int {
        var start = line
        while start > 1, continues(start, in: file) { start -= 1 }
        return start
    }

    /// Whether a line goes on with what the line above it began.
    private static func continues(_ line: Int, in file: SourceFile) -> Bool {
        let own = file.code[line - 1].drop { $0 == " " }
        let above = file.code[line - 2].split(separator: " ").joined(separator: " ")
        guard let first = own.first, let last = above.last else { return false }
        return "(,=:[&|?".contains(last) || ".)]:?=&|,".contains(first)
            || own.hasPrefix("where ") || above.wholeMatch(of: #/@\w+(\(.*\))?/#) != nil
    }
}

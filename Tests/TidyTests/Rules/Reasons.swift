/// What the compiler cannot check says why it holds.
///
/// The reason is a comment on the line or, in `//`, directly above it; or a comment above the
/// declaration that names what it excuses or contains a word that gives a reason.
enum Reasons {
    static let rule = Rule("The unchecked has its reason", file: findings)

    private struct Danger {
        let code: String
        let words: [String]
    }

    private static let dangers = [
        Danger(code: "@unchecked Sendable", words: ["unchecked"]),
        Danger(code: "nonisolated(unsafe)", words: ["unsafe"]),
        Danger(code: "try!", words: ["try!"]),
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
        let above = file.comment(above: line)
        if !above.isEmpty && !above.contains("///") { return true }
        let around = file.declarations.last { $0.firstLine...$0.lastLine ~= line }
        let comment = file.comment(above: around?.firstLine ?? line).lowercased()
        return (danger.words + reasonWords).contains { comment.contains($0) }
    }
}

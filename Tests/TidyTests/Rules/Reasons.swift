/// What the compiler cannot check has a comment that says why it is right: on its line, directly
/// above its statement, or in the documentation of the declaration around it.
enum Reasons {
    static let rule = Rule("The unchecked has its reason", file: findings)

    private static let dangers = [
        "@unchecked Sendable": ["unchecked"], "nonisolated(unsafe)": ["unsafe"],
        "unowned(unsafe)": ["unsafe"], "@preconcurrency": ["preconcurrency"],
        "unsafeBitCast": ["unsafe", "cast"], "unsafeDowncast": ["unsafe", "cast"],
    ]
    private static let reasonWords = [
        "because", "since", "guarded", "protected", "immutable", "never changes", "safe",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        dangers.sorted { $0.key < $1.key }.flatMap { code, words in
            file.tokens.matches(of: code).map { file.tokens[$0].line }
                .filter { !hasReason(words + reasonWords, at: $0, in: file) }
                .map { file.finding($0, "say in a comment above why \(code) is right here") }
        }
    }

    private static func hasReason(_ words: [String], at line: Int, in file: SourceFile) -> Bool {
        if !file.comments[line - 1].isEmpty { return true }
        // A statement may have begun some lines above.
        let around = file.declarations.last { $0.firstLine...$0.lastLine ~= line }
        let first = max(around?.firstLine ?? 1, line - 4)
        let above = (min(first, line)...line).map { file.comment(above: $0) }
        if above.contains(where: { !$0.isEmpty && !$0.contains("///") }) { return true }
        let comment = file.comment(above: around?.firstLine ?? line).lowercased()
        return words.contains { comment.contains($0) }
    }
}

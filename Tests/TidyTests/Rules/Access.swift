/// Edges are for this package only.
enum Access {
    static let rule = Rule("Edges have nothing public", file: findings)

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isIn(Places.edges) else { return [] }
        return file.tokens.filter {
            ["public", "open"].contains($0.text) && isModifier($0, in: file)
        }
        .map { file.finding($0.line, "an edge gives package access only: write package") }
    }

    /// `open` is a word like any other unless it introduces a declaration.
    private static func isModifier(_ token: Token, in file: SourceFile) -> Bool {
        token.text == "public"
            || file.declarations.contains {
                $0.modifiers.contains("open") && $0.firstLine...$0.line ~= token.line
            }
    }
}

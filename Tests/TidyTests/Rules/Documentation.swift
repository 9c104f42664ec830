/// Everything public is described.
enum Documentation {
    static let rule = Rule("What is public is described", file: findings)

    /// Members that a well-known protocol asks for. A regular expression is immutable.
    nonisolated(unsafe) private static let witness =
        #/
        \b(description|debugDescription|errorDescription|Element|makeIterator|makeAsyncIterator)\b
        |hash\(into\ |encode\(to\ |init\((from|\w+Literal)\ |func\ (==|<)
        /#

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isIn(["Sources/Skyros/", "Sources/SkyrosTesting/"]) else { return [] }
        return file.declarations.filter { declaration in
            isPublic(declaration, in: file) && declaration.keyword != "extension"
                && !file.lines[declaration.line - 1].contains(witness)
                && !hasDocumentation(declaration, in: file)
        }
        .map { file.finding($0.line, "describe \($0.name) in a sentence above it, with ///") }
    }

    /// Public by a modifier, or as a member of a public enum, protocol or extension.
    private static func isPublic(_ declaration: Declaration, in file: SourceFile) -> Bool {
        if !declaration.modifiers.isDisjoint(with: ["public", "open"]) { return true }
        let closed: Set = ["internal", "package", "private", "fileprivate"]
        guard declaration.modifiers.isDisjoint(with: closed), let index = declaration.parent else {
            return false
        }
        let parent = file.declarations[index]
        switch (parent.keyword, declaration.keyword) {
        case ("enum", "case"), ("protocol", _), ("extension", _):
            return isPublic(parent, in: file)
        default: return false
        }
    }

    private static func hasDocumentation(_ declaration: Declaration, in file: SourceFile) -> Bool {
        let comment = file.comment(above: declaration.firstLine)
        return comment.split(separator: "\n").last?.hasPrefix("///") ?? false
    }
}

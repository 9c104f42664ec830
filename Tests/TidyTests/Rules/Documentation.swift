/// Everything that users see is described.
enum Documentation {
    static let rule = Rule("What is public is described", file: findings)

    private static let places = [Places.library, "Sources/SkyrosTesting/"]

    /// Members that a protocol everybody knows asks for, and describes.
    private static let witnesses: Set = [
        "description", "debugDescription", "errorDescription", "hash(into:)", "init(from:)",
        "encode(to:)", "init(stringLiteral:)", "init(integerLiteral:)",
        "init(floatLiteral:)", "init(booleanLiteral:)", "init(nilLiteral:)",
        "init(arrayLiteral:)", "init(dictionaryLiteral:)", "init(unicodeScalarLiteral:)",
        "init(extendedGraphemeClusterLiteral:)", "makeIterator", "makeAsyncIterator",
        "Element",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isIn(places) else { return [] }
        return file.declarations.filter { isPublic($0, in: file) && needsWords($0) }
            .filter { !hasDocumentation($0, in: file) }
            .map { file.finding($0.line, "describe \($0.name) in a sentence above it, with ///") }
    }

    /// Public by a word of its own, or by its place in a public enum, protocol or extension.
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

    private static func needsWords(_ declaration: Declaration) -> Bool {
        if declaration.keyword == "extension" { return false }
        if ["==", "<"].contains(declaration.name) { return false }
        let label = declaration.firstLabel
        return !witnesses.contains(label.map { "\(declaration.name)(\($0):)" } ?? declaration.name)
    }

    private static func hasDocumentation(_ declaration: Declaration, in file: SourceFile) -> Bool {
        let comment = file.comment(above: declaration.firstLine)
        return comment.split(separator: "\n").last?.drop { $0 == " " }.hasPrefix("///") ?? false
    }
}

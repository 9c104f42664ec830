/// The parts of a declaration that the rules need: its name, place and length.
struct Declaration {
    /// The word that introduces it: `struct`, `func`, `var`, `case`, `extension` …
    let keyword: String
    /// The name only; for an operator its signs, for an initialiser `init`.
    let name: String
    /// The words before the keyword, `private(set)` and attributes left out.
    let modifiers: Set<String>
    /// The names of its attributes, without `@`.
    let attributes: Set<String>
    /// The line of its first attribute or modifier.
    let firstLine: Int
    let line: Int
    /// The line of the brace that closes its body; the keyword's if there is no body.
    var lastLine: Int
    var hasBody = false
    /// The index of the declaration around it.
    let parent: Int?

    var isType: Bool { Self.typeKeywords.contains(keyword) }

    static let typeKeywords: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    static let functionKeywords: Set = ["func", "init", "subscript"]
    static let keywords =
        typeKeywords.union(functionKeywords)
        .union(["extension", "var", "let", "case", "associatedtype"])
    static let modifierWords: Set = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "mutating", "nonmutating", "borrowing", "consuming", "override", "required",
        "convenience", "lazy", "weak", "unowned", "nonisolated", "isolated", "indirect", "prefix",
        "postfix", "infix", "dynamic", "optional", "distributed", "async",
    ]
}

/// What is private and named nowhere else in its file is dead, which no compiler says.
enum Unused {
    static let rule = Rule("What is private is used", file: findings)

    /// Names that the compiler uses for us, and what serves by lying there.
    private static let exceptions: Set = ["CodingKeys", "init", "subscript", "padding"]

    static func findings(in file: SourceFile) -> [Finding] {
        let counts = Dictionary(file.tokens.map { ($0.text, 1) }, uniquingKeysWith: +)
        return file.declarations.filter { declaration in
            !declaration.modifiers.isDisjoint(with: ["private", "fileprivate"])
                && declaration.keyword != "extension" && counts[declaration.name] == 1
                && !exceptions.contains(declaration.name)
        }
        .map { file.finding($0.line, "nothing uses \($0.name): delete it") }
    }
}

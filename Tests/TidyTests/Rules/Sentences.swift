/// A test says in its name what holds, and runs whenever tests run.
enum Sentences {
    static let rule = Rule("Tests are sentences", file: findings)

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.isIn(["Tests/"]) else { return [] }
        return file.declarations.filter { declaration in
            !declaration.attributes.isDisjoint(with: ["Test", "Suite"])
                && !declaration.name.hasPrefix("`")
        }
        .map { file.finding($0.line, "\($0.name): say in backticks what it is, or what holds") }
    }
}

/// A rule of the house: a pure function over the repository's files.
struct Rule: Sendable {
    /// What holds where the rule is kept.
    let name: String
    let findings: @Sendable (SourceTree) -> [Finding]

    init(_ name: String, tree findings: @escaping @Sendable (SourceTree) -> [Finding]) {
        self.name = name
        self.findings = findings
    }

    /// A rule that looks at each file by itself.
    init(_ name: String, file findings: @escaping @Sendable (SourceFile) -> [Finding]) {
        self.init(name, tree: { $0.files.flatMap(findings) })
    }
}

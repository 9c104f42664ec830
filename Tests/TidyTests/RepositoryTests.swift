import Testing

@Suite struct `The repository` {
    @Test func `keeps every rule`() throws {
        let tree = try SourceTree.repository()
        #expect(tree.files.contains { $0.path == "Package.swift" })
        let findings = Rule.all.flatMap { rule in
            rule.findings(tree).map { "\($0)  [\(rule.name)]" }
        }
        #expect(findings.isEmpty, "\n\(findings.joined(separator: "\n"))")
    }
}

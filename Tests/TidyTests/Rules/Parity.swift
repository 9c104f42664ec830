/// Each capability in docs/parity.md that names tests has them, and each of these tests has a row.
enum Parity {
    static let rule = Rule("Each capability has its tests", tree: { findings(in: $0) })

    private static let page = "docs/parity.md"

    static func findings(in tree: SourceTree) -> [Finding] {
        guard let page = tree.files.first(where: { $0.path == page }) else { return [] }
        // "S-043 WriteTests" and its places, in the page and in the tests
        var claims: [String: Finding] = [:]
        var tests: [String: Finding] = [:]
        for (index, line) in page.lines.enumerated() {
            // | S-043 | what can be done | JP SK | `store.write` | `WriteTests`; missing: … |
            // Only the last cell names tests.
            guard let row = line.wholeMatch(of: #/\| (S-\d{3}) \| .* \| (.+) \|/#) else { continue }
            for name in row.2.matches(of: #/`(\w+Tests)`/#) {
                claims["\(row.1) \(name.1)"] = page.finding(index + 1, "\(name.1): no such test")
            }
        }
        for file in tree.files where file.isIn(["Tests/"]) {
            for test in file.declarations where test.attributes.contains("Test") {
                let name = file.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
                guard let found = file.lines[test.line - 1].firstMatch(of: #/func `(S-\d{3}): /#)
                else { continue }
                tests["\(found.1) \(name)"] = file.finding(
                    test.line, "\(found.1) of \(Self.page) does not name \(name)")
            }
        }
        return claims.filter { tests[$0.key] == nil }.map(\.value)
            + tests.filter { claims[$0.key] == nil }.map(\.value)
    }
}

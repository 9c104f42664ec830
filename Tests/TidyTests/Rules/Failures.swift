/// Each failure that docs/reliability.md numbers has tests that bear the number, and a mutant that
/// they kill.
enum Failures {
    static let rule = Rule("Each failure is tried", tree: findings)

    private static let page = "docs/reliability.md"

    static func findings(in tree: SourceTree) -> [Finding] {
        guard let page = tree.files.first(where: { $0.path == page }) else { return [] }
        let rows = page.lines.enumerated().compactMap { index, line in
            Row(line).map { (line: index + 1, row: $0) }
        }
        let tests = tested(in: tree)
        let mutants = mutants(in: tree)
        let untried = rows.flatMap { line, row in
            var findings: [Finding] = []
            if tests[row.number] == nil {
                findings.append(page.finding(line, "no test bears \(row.number) in its name"))
            }
            if !mutants.contains(row.mutant) {
                findings.append(page.finding(line, "there is no mutant \"\(row.mutant)\""))
            }
            return findings
        }
        let known = Set(rows.map(\.row.number))
        let unknown = tests.filter { !known.contains($0.key) }.map { number, place in
            place.file.finding(place.line, "\(number) is no row of \(Self.page)")
        }
        return untried + unknown
    }

    /// `| F13 | a sync fails | faults | a failed sync is tried again |`
    private struct Row {
        let number: String
        let mutant: String

        init?(_ line: String) {
            let cells = line.split(separator: "|").map { $0.trimmed }
            guard cells.count == 4, cells[0].wholeMatch(of: #/F\d+/#) != nil else { return nil }
            number = cells[0]
            mutant = cells[3]
        }
    }

    /// The numbers in the names of tests, each with a place where it stands.
    private static func tested(
        in tree: SourceTree
    ) -> [String: (file: SourceFile, line: Int)] {
        var places: [String: (file: SourceFile, line: Int)] = [:]
        for file in tree.files where file.isIn(["Tests/", "Fuzzing/"]) {
            for declaration in file.declarations where declaration.attributes.contains("Test") {
                // Of a name in backticks the scanner keeps that it is one.
                let line = file.lines[declaration.line - 1]
                guard let list = line.firstMatch(of: #/\((F\d+(?:, F\d+)*)\)`/#) else { continue }
                for number in list.1.split(separator: ", ") {
                    places[String(number)] = (file, declaration.line)
                }
            }
        }
        return places
    }

    private static func mutants(in tree: SourceTree) -> Set<String> {
        let files = tree.files.filter { $0.isIn(["Tests/Mutants/"]) && $0.fileExtension == "txt" }
        return Set(
            files.flatMap(\.lines).filter { $0.hasPrefix("== ") }.map {
                String($0.dropFirst(3)).trimmed
            })
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(String(start.reversed().drop { $0 == " " }.reversed()))
    }
}

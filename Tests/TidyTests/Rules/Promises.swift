import Foundation

/// Each failure that docs/reliability.md numbers has tests with the number in their names, and a
/// mutant that they kill.
enum Promises {
    static let rule = Rule(
        "Each failure has a test and a mutant", tree: { findings(in: $0, of: all) })

    static let page = "docs/reliability.md"

    /// The model of failures.
    static let all = (Array(1...60) + Array(63...77)).map { "F\($0)" }

    static func findings(in tree: SourceTree, of wanted: [String]) -> [Finding] {
        guard let page = tree.files.first(where: { $0.path == page }) else {
            return [Finding(path: Self.page, line: 1, advice: "the page is missing")]
        }
        let tests = tested(in: tree)
        let mutants = mutants(in: tree)
        var findings: [Finding] = []
        var known: Set<String> = []
        for (index, line) in page.lines.enumerated() {
            // `| F13 | a sync fails | faults | a failed sync is tried again |`
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[0].wholeMatch(of: #/F\d+/#) != nil else { continue }
            known.insert(cells[0])
            if tests[cells[0]] == nil {
                findings.append(page.finding(index + 1, "no test has \(cells[0]) in its name"))
            }
            if !mutants.contains(cells[3]) {
                findings.append(page.finding(index + 1, "there is no mutant \"\(cells[3])\""))
            }
        }
        findings += wanted.filter { !known.contains($0) }.map {
            page.finding(1, "there is no row \($0)")
        }
        return findings
            + tests.filter { !known.contains($0.key) }.map { number, place in
                Finding(
                    path: place.path, line: place.line,
                    advice: "\(number) is no row of \(Self.page)")
            }
    }

    static func mutants(in tree: SourceTree) -> Set<String> {
        let lines = tree.files.filter { $0.isIn(["Tests/Mutants/"]) }.flatMap(\.lines)
        return Set(lines.filter { $0.hasPrefix("== ") }.map { String($0.dropFirst(3)) })
    }

    /// The numbers in the names of tests, each with a place.
    private static func tested(in tree: SourceTree) -> [String: (path: String, line: Int)] {
        var places: [String: (path: String, line: Int)] = [:]
        for file in tree.files where file.isIn(["Tests/", "Fuzzing/"]) {
            for test in file.declarations where test.attributes.contains("Test") {
                let line = file.lines[test.line - 1]
                guard let list = line.firstMatch(of: #/\((F\d+(?:, F\d+)*)\)`/#) else { continue }
                for number in list.1.components(separatedBy: ", ") {
                    places[number] = (file.path, test.line)
                }
            }
        }
        return places
    }
}

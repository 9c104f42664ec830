import Foundation

/// Each fault in the table of docs/reliability.md that was found from outside has a test, and its
/// mutants exist.
enum Faults {
    static let rule = Rule("Each fault has a test", tree: { findings(in: $0, of: all) })

    /// The number of faults in each group, from 1 on.
    static let all = [19, 10, 5, 8, 2].enumerated().flatMap { group, count in
        (1...count).map { "\(group + 1).\($0)" }
    }

    static func findings(in tree: SourceTree, of wanted: [String]) -> [Finding] {
        guard let page = tree.files.first(where: { $0.path == Promises.page }) else { return [] }
        let tests = tree.files.filter { $0.isIn(["Tests/", "Fuzzing/", "Benchmarks/"]) }
            .filter { !$0.isIn(["Tests/TidyTests/"]) }
        let mutants = Promises.mutants(in: tree)
        var findings: [Finding] = []
        var known: Set<String> = []
        for (index, line) in page.lines.enumerated() {
            // | 1.3 | a durable write … | `waits for everything before it` | a mutant; another |
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[0].wholeMatch(of: #/\d\.\d+/#) != nil else { continue }
            known.insert(cells[0])
            let names = cells[2].matches(of: #/`([^`]+)`/#).map { String($0.1) }
            let missing = names.filter { name in
                !tests.contains { $0.lines.contains { $0.contains(name) } }
            }
            if names.isEmpty || !missing.isEmpty {
                let names = missing.map { "\"\($0)\"" }.joined(separator: ", ")
                findings.append(page.finding(index + 1, "there is no test \(names)"))
            }
            for mutant in cells[3].components(separatedBy: "; ")
            where mutant != "–" && !mutants.contains(mutant) {
                findings.append(page.finding(index + 1, "there is no mutant \"\(mutant)\""))
            }
        }
        return findings
            + wanted.filter { !known.contains($0) }.map {
                page.finding(1, "there is no row \($0)")
            }
    }
}

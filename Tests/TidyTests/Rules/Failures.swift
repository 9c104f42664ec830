/// Each failure that docs/reliability.md numbers has tests that bear the number, and a mutant that
/// they kill.
enum Failures {
    static let rule = Rule("Each failure is tried", tree: findings)

    private static let page = "docs/reliability.md"

    /// All that the model of failures has, but for those of histories whose beginning is dropped.
    static let all: [String] = {
        let numbers = Array(1...60) + [63, 64]
        return numbers.filter { ![9, 57, 60].contains($0) }.map { "F\($0)" }
    }()

    static func findings(in tree: SourceTree) -> [Finding] { findings(in: tree, of: all) }

    static func findings(in tree: SourceTree, of wanted: [String]) -> [Finding] {
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
        let missing = wanted.filter { !known.contains($0) }.map {
            page.finding(1, "there is no row \($0)")
        }
        let unknown = tests.filter { !known.contains($0.key) }.map { number, place in
            place.file.finding(place.line, "\(number) is no row of \(Self.page)")
        }
        return untried + unknown + missing + unfit(in: tree)
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
        Set(mutantFiles(in: tree).flatMap { mutants(in: $0) }.map(\.name))
    }

    private static func mutantFiles(in tree: SourceTree) -> [SourceFile] {
        tree.files.filter { $0.isIn(["Tests/Mutants/"]) && $0.fileExtension == "txt" }
    }

    // MARK: Mutants

    /// A piece of a source that is to be broken.
    private struct Mutant {
        let line: Int
        let name: String
        let file: String
        let old: String
    }

    private static func mutants(in file: SourceFile) -> [Mutant] {
        let starts = file.lines.indices.filter { file.lines[$0].hasPrefix("== ") }
        return zip(starts, starts.dropFirst() + [file.lines.count]).map { start, end in
            let lines = file.lines[start..<end]
            let path = lines.first { $0.hasPrefix("file: ") }?.dropFirst(6) ?? ""
            let old = lines.drop { !$0.hasPrefix("--- ") }.prefix { !$0.hasPrefix("+++") }
            return Mutant(
                line: start + 1, name: lines[start].dropFirst(3).trimmed, file: path.trimmed,
                old: String(old.joined(separator: "\n").dropFirst(4)))
        }
    }

    /// Mutants whose piece of source is not there, or more than once.
    private static func unfit(in tree: SourceTree) -> [Finding] {
        mutantFiles(in: tree).flatMap { file in
            mutants(in: file).compactMap { mutant in
                let source = tree.files.first { $0.path == mutant.file }
                let text = source?.lines.joined(separator: "\n") ?? ""
                let count = text.ranges(of: mutant.old).count
                if count == 1 { return nil }
                return file.finding(
                    mutant.line, "what it breaks stands \(count) times in \(mutant.file)")
            }
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(String(start.reversed().drop { $0 == " " }.reversed()))
    }
}

import Testing

/// A text that breaks a rule at these lines, or at none.
struct Plant: CustomStringConvertible, Sendable {
    let rule: Rule
    let path: String
    let text: String
    let lines: [Int]

    init(_ rule: Rule, _ path: String, _ text: String, _ lines: [Int] = []) {
        (self.rule, self.path, self.text, self.lines) = (rule, path, text, lines)
    }

    var description: String { "\(rule.name): \(path): \(text.prefix(80))" }

    private static let log = "Sources/SkyrosLog/A.swift"
    private static let library = "Sources/Skyros/A.swift"
    private static let longLine = "// " + String(repeating: "ä", count: 97)
    private static let longFunction =
        "func a() {\n" + String(repeating: "b()\n", count: 68) + "}\n"

    static let all = [
        Plant(Imports.rule, log, "// import Skyros\npackage import Skyros", [2]),
        Plant(Imports.rule, log, "import SkyrosSQLite\nimport SkyrosDisk\nimport CZstd", [1]),
        Plant(Imports.rule, log, "import Foundation\nimport CSQLite\nimport Glibc", [1, 2, 3]),
        Plant(Imports.rule, library, "import Foundation\nimport struct SkyrosTesting.Seed", [2]),
        Plant(Imports.rule, "Sources/SkyrosCellar/A.swift", "let a = 1", [1]),
        Plant(Imports.rule, "Examples/A/B.swift", "import Skyros\nimport SkyrosLog", [2]),
        Plant(Imports.rule, "Fuzzing/Targets/A.swift", "import Skyros\nimport TestSupport", [2]),
        Plant(Edges.rule, log, "package struct A {}\npublic struct B {}\nopen class C {}", [2, 3]),
        Plant(Edges.rule, log, "// public\nlet a = disk.open()"),
        Plant(Reasons.rule, library, "/// A value.\nextension A: @unchecked Sendable {}", [2]),
        Plant(Reasons.rule, library, "// It holds.\n\nnonisolated(unsafe) var a = 1", [3]),
        Plant(Reasons.rule, library, "// One layout.\nlet a = unsafeBitCast(b, to: C.self)"),
        Plant(Reasons.rule, library, "/// Immutable.\nfinal class A: @unchecked Sendable {}"),
        Plant(Manifest.rule, "Package.swift", "let a = 1", [1, 1, 1, 1]),
        Plant(Manifest.rule, "docs/Package.swift", "let a = 1"),
        Plant(Documentation.rule, library, "/// A.\npublic struct A {\npublic var b: C\n}", [3]),
        Plant(Documentation.rule, library, "/// A.\npublic enum A {\ncase b\nfunc c() {}\n}", [3]),
        Plant(Documentation.rule, library, "public func hash(into a: inout Hasher) {}"),
        Plant(Calls.rule, library, "let a = Date()\nlet b = A.Date()\nfunc print() {}", [1]),
        Plant(Calls.rule, "Tests/A.swift", "Task.sleep\nlet a = \"Task.sleep\"", [1]),
        Plant(Calls.rule, "Examples/A.swift", "print(1)"),
        Plant(Calls.rule, library, "let a = Locked<(@Sendable () -> Void)?>(nil)", [1]),
        Plant(Calls.rule, library, "let a = Locked<Callback<Void>?>(nil)"),
        Plant(Tests.rule, "Tests/A/B.swift", "@Suite struct `A` {\n@Test func opens() {}\n}", [2]),
        Plant(Promises.rule, "docs/a.md", "# A", [1]),
        Plant(Words.rule, "docs/a.md", "# A\nIt is by\nso.\nStarts At " + "once.", [4]),
        Plant(Words.rule, "docs/CHANGELOG.md", "At " + "once."),
        Plant(Words.rule, library, "let a = Rel" + "ayRace()\nlet b = Row" + "Map()", [2]),
        Plant(Sizes.rules[0], library, String(repeating: "a\n", count: 401), [401]),
        Plant(Sizes.rules[0], library, String(repeating: "a\n", count: 400)),
        Plant(Sizes.rules[1], library, longFunction + "struct A {\n" + longFunction),
        Plant(Sizes.rules[1], library, longFunction.replacing("}\n", with: "\n\n}\n"), [1]),
        Plant(Sizes.rules[2], library, longLine + "\n" + longLine + "a", [2]),
        Plant(Comments.rules[0], library, "let a = \"TODO\"\n// TO" + "DO: more", [2]),
        Plant(Comments.rules[1], "docs/a.md", "# A\nBy \(Comments.words.min() ?? "")", [2]),
        Plant(
            Links.rule, "docs/a.md", "[c](c.md)\n`[c](c.md)`\n[a](a.md#b)\n[b]: ../b.md", [1, 4]),
        Plant(Links.rule, "docs/a.md", "```\n[c](c.md)\n```\n[d](https://d.org) [a](../docs)"),
    ]
}

@Suite struct `A rule` {
    @Test(arguments: Plant.all)
    func `finds what breaks it and nothing else`(plant: Plant) {
        let findings = plant.rule.findings(SourceTree([SourceFile(plant.path, plant.text)]))
        #expect(findings.map(\.line).sorted() == plant.lines, "\(findings)")
    }

    private func borders(_ files: [String: String]) -> [String] {
        let files = files.map { SourceFile("Sources/\($0)", $1) }
        return Borders.rule.findings(SourceTree(files)).map { "\($0.path):\($0.line)" }
    }

    @Test func `keeps the stages apart`() {
        let log = ["Skyros/Log/EventLog.swift": "final class EventLog { enum Mode {} }"]
        func uses(_ path: String, _ text: String) -> Int {
            borders(log.merging(["Skyros/\(path)": text]) { $1 }).count
        }
        #expect(uses("Write/A.swift", "let a: EventLog") == 1)
        #expect(uses("Model/A.swift", "let a: [EventLog]") == 1)
        #expect(uses("Write/A.swift", "let a = \"\\(Skyros.EventLog.self)\"") == 1)
        #expect(uses("Write/A.swift", "/// Like EventLog.\nlet a: Mode, b = \"EventLog\"") == 0)
        #expect(uses("History/A.swift", "let a: EventLog") == 0)
        #expect(uses("Cellar/A.swift", "") == 1)
    }

    @Test(arguments: [
        ("#if os(Linux)", "#if canImport(Darwin)", 2), ("#if os(Linux)", "#if DEBUG", 0),
        ("  #elseif A", "#if !A && B", 2), ("#if canImport(A)", "#if canImport(B)", 0),
        ("// #if os(Linux)", "#if os(Linux)", 0),
    ])
    func `wants a condition in one file of its module`(first: String, second: String, count: Int) {
        func findings(_ paths: [String]) -> Int {
            let files = zip(paths, [first, second]).map { SourceFile("Sources/\($0)", "\n\($1)") }
            return Conditions.rule.findings(SourceTree(files)).count
        }
        #expect(findings(["Skyros/A.swift", "Skyros/Log/B.swift"]) == count)
        #expect(findings(["Skyros/A.swift", "SkyrosDisk/B.swift"]) == 0)
    }

    @Test func `leaves no circle between directories`() {
        let circle = [
            "Skyros/State/IndexBTree/IndexBTree.swift": "struct IndexBTree { let a: FetchRequest }",
            "Skyros/State/Fetch/FetchRequest.swift": "struct FetchRequest { let a: IndexBTree }",
        ]
        #expect(borders(circle) == ["Sources/Skyros/State/IndexBTree/IndexBTree.swift:1"])
    }

    @Test(arguments: [
        ("survives a kill (F1)", "a sync is skipped", 0),
        ("survives a kill", "a sync is skipped", 1),
        ("survives (F1)", "another", 1), ("survives (F1, F2)", "a sync is skipped", 1),
    ])
    func `wants a test and a mutant for each failure`(test: String, mutant: String, count: Int) {
        let tree = SourceTree([
            SourceFile("docs/reliability.md", "# A\n| F1 | a kill | a loop | a sync is skipped |"),
            SourceFile("Tests/A/B.swift", "@Test func `\(test)`() {}"),
            SourceFile("Tests/Mutants/disk.txt", "== \(mutant)\n"),
        ])
        #expect(Promises.findings(in: tree, of: ["F1"]).count == count)
        #expect(Promises.findings(in: tree, of: ["F1", "F3"]).count == count + 1)
    }

    @Test(arguments: [
        ("`waits`", "a sync is skipped", 0), ("`waits`, `sleeps`", "–", 1), ("a test", "–", 1),
        ("`waits`", "a sync is skipped; another", 1),
    ])
    func `wants a test for each fault`(test: String, mutant: String, count: Int) {
        let tree = SourceTree([
            SourceFile("docs/reliability.md", "# A\n| 1.3 | a write | \(test) | \(mutant) |"),
            SourceFile("Tests/A/B.swift", "@Test func `waits`() {}"),
            SourceFile("Tests/Mutants/disk.txt", "== a sync is skipped\n"),
        ])
        #expect(Faults.findings(in: tree, of: ["1.3"]).count == count)
        #expect(Faults.findings(in: tree, of: ["1.3", "1.4"]).count == count + 1)
    }

    @Test(arguments: [
        ("`BTests`", 0), ("`BTests`, `CTests`; missing: `c`", 1), ("missing", 1), ("`CTests`", 2),
    ])
    func `wants the tests that a capability names`(cell: String, count: Int) {
        let tree = SourceTree([
            SourceFile(
                "docs/parity.md",
                """
                | S-001 | opening | JP SK | `ATests`, `a \\|\\| b` | \(cell) |
                | S-002 | a | – | `c()` | missing |
                """),
            SourceFile("Tests/A/BTests.swift", "@Test func `S-001: opens`() {}"),
        ])
        #expect(Parity.findings(in: tree).count == count)
    }
}

import Foundation
import Testing

@Suite struct `The house` {
    @Test func `is tidy`() throws {
        let files = try Repository.files()
        #expect(files.count > 100)
        let findings =
            files.flatMap { file in LineRules.all.flatMap { $0(file) } }
            + StructureRules.all.flatMap { $0(files) }
        let list = findings.map(\.description).joined(separator: "\n")
        #expect(findings.isEmpty, "\(findings.count) findings:\n\(list)")
    }

    @Test func `has scripts that can be run`() throws {
        for name in ["setup", "test", "demo", "format"] {
            let path = Repository.root.appending(path: "scripts/\(name)").path
            #expect(FileManager.default.isExecutableFile(atPath: path), "scripts/\(name)")
        }
    }
}

/// A text that breaks a rule, and one that comes close.
struct Planted: CustomTestStringConvertible {
    let name: String
    let rule: @Sendable (SourceFile) -> [Finding]
    var path = "Sources/Skyros/View/Planted.swift"
    let bad: String
    let good: String

    var testDescription: String { name }
}

@Suite struct `A planted violation` {
    static let long = String(repeating: "x", count: 101)

    @Test(arguments: [
        Planted(
            name: "a long file", rule: LineRules.length,
            bad: String(repeating: "\n", count: 401), good: String(repeating: "\n", count: 400)),
        Planted(
            name: "a wide line", rule: LineRules.width, bad: long, good: "// https://x.org/" + long),
        Planted(
            name: "a long function", rule: LineRules.functionLength,
            bad: "func f() {" + String(repeating: "\n", count: 71) + "}",
            good: "func f() {" + String(repeating: "\n", count: 60) + "}"),
        Planted(
            name: "the time", rule: LineRules.banned, bad: "let now = Date()",
            good: "let text = \"Date()\" // Date()"),
        Planted(
            name: "a print", rule: LineRules.banned, bad: "print(1)", good: "// print(1)"),
        Planted(
            name: "a forced try", rule: LineRules.banned, bad: "try! f()", good: "try f()"),
        Planted(
            name: "an unreasoned promise", rule: LineRules.reasons,
            bad: "final class A: @unchecked Sendable {",
            good: "// Unchecked because it is locked.\nfinal class A: @unchecked Sendable {"),
        Planted(
            name: "unfinished work", rule: LineRules.unfinished, bad: "// TO" + "DO: later",
            good: "// done"),
        Planted(
            name: "dead code", rule: LineRules.unfinished, bad: "// if x == 1 {", good: "// if so"),
        Planted(name: "a tab", rule: LineRules.whitespace, bad: "\tx", good: "    x"),
        Planted(
            name: "two titles", rule: LineRules.title, path: "docs/x.md", bad: "# A\n# B",
            good: "# A\n```\n# B\n```\n## C"),
        Planted(
            name: "a versioned name", rule: LineRules.names, path: "Sources/Skyros/ThingV2.swift",
            bad: "", good: ""),
        Planted(
            name: "an odd file", rule: LineRules.names, path: "Sources/Skyros/Thing.exe", bad: "",
            good: ""),
        Planted(
            name: "a word too many", rule: LineRules.secrets, bad: "made by Cl" + "aude",
            good: "made by us"),
        Planted(
            name: "a large file", rule: LineRules.size,
            bad: String(repeating: "x", count: 300_000), good: "x"),
        Planted(
            name: "a silent declaration", rule: LineRules.documented, bad: "public func f() {}",
            good: "/// Does it.\npublic func f() {}"),
    ])
    func `of a line's rule is found`(planted: Planted) {
        #expect(!planted.rule(SourceFile(path: planted.path, text: planted.bad)).isEmpty)
        let path =
            planted.rule(SourceFile(path: planted.path, text: "")).isEmpty
            ? planted.path : "Sources/Skyros/Thing.swift"
        #expect(planted.rule(SourceFile(path: path, text: planted.good)).isEmpty)
    }

    @Test(arguments: [
        ("Sources/SkyrosLog/A.swift", "import Skyros"),
        ("Sources/SkyrosLog/A.swift", "package import Foundation"),
        ("Sources/Skyros/A.swift", "import CSQLite"),
        ("Sources/Skyros/A.swift", "internal import Glibc"),
        ("Examples/Restaurant/A.swift", "import SkyrosLog"),
    ])
    func `of the order of imports is found`(path: String, text: String) {
        #expect(!StructureRules.imports([SourceFile(path: path, text: text)]).isEmpty)
        let fine = SourceFile(
            path: "Sources/Skyros/A.swift", text: "import SkyrosLog\nimport Foundation")
        #expect(StructureRules.imports([fine]).isEmpty)
    }

    @Test func `of an edge's privacy is found`() {
        let bad = SourceFile(path: "Sources/SkyrosLog/A.swift", text: "public struct A {}")
        let good = SourceFile(
            path: "Sources/SkyrosLog/A.swift", text: "package struct A {} // public")
        #expect(!StructureRules.edges([bad]).isEmpty)
        #expect(StructureRules.edges([good]).isEmpty)
    }

    @Test func `of the stages' borders is found`() {
        let view = SourceFile(path: "Sources/Skyros/View/A.swift", text: "struct Cell {}")
        let noun = SourceFile(path: "Sources/Skyros/Model/B.swift", text: "struct Noun {}")
        let bad = SourceFile(path: "Sources/Skyros/Write/C.swift", text: "let c: Cell")
        let good = SourceFile(path: "Sources/Skyros/Write/C.swift", text: "let n: Noun // Cell")
        let upward = SourceFile(path: "Sources/Skyros/Model/D.swift", text: "let c: Cell")
        #expect(!StructureRules.borders([view, noun, bad]).isEmpty)
        #expect(!StructureRules.borders([view, noun, upward]).isEmpty)
        #expect(StructureRules.borders([view, noun, good]).isEmpty)
    }

    @Test func `of the documents' links is found`() {
        let page = SourceFile(path: "docs/a.md", text: "# A\n[b](b.md) [r](../README.md)")
        let others = [
            SourceFile(path: "docs/b.md", text: ""), SourceFile(path: "README.md", text: ""),
        ]
        #expect(StructureRules.links([page] + others).isEmpty)
        #expect(StructureRules.links([page]).count == 2)
    }
}

import Testing

@Suite struct `A comment` {
    private func file(_ text: String) -> SourceFile { SourceFile("Sources/A.swift", text) }

    @Test func `leaves nothing to do`() {
        for word in ["TODO", "FIXME", "XXX", "HACK"] {
            #expect(file("let a = 1\n// \(word): more").lines(Comments.reminders) == [2])
        }
        #expect(file("/* \n TODO later */").lines(Comments.reminders) == [2])
        #expect(SourceFile("a.py", "a\n# TODO b").lines(Comments.reminders) == [2])
        #expect(SourceFile("scripts/a", "#!/bin/sh\na # TODO").lines(Comments.reminders) == [2])
        #expect(SourceFile("a.md", "# A\n\nTODO: write it").lines(Comments.reminders) == [3])
        #expect(
            SourceFile("a.md", "# A\n```swift\n// FIXME\n```").lines(Comments.reminders) == [3])
        #expect(SourceFile("a.md", "# Why `TODO` is wrong").lines(Comments.reminders).isEmpty)
        #expect(
            file("// XXH64 knows no hacks.\nlet a = \"TODO\"").lines(Comments.reminders).isEmpty)
    }

    @Test func `is plain`() {
        #expect(file("let simply = 1\n/// It is Simply there.").lines(Comments.praise) == [2])
        #expect(SourceFile("a.md", "# A\nA powerful log.").lines(Comments.praise) == [2])
        #expect(SourceFile("a.md", "# A\nNo `powerful` word.").lines(Comments.praise).isEmpty)
    }

    @Test func `does not silence the formatter`() {
        #expect(file("// swift-format-ignore: A\nlet a = 1").lines(Comments.silencers) == [1])
        #expect(file("let a = \"swift-format-ignore\"").lines(Comments.silencers).isEmpty)
    }

    @Test(arguments: ["// See #12.", "// (#3)", "/// Issue 4 again.", "// pull request #5"])
    func `cites no ticket`(line: String) {
        #expect(file("let a = 1\n\(line)").lines(Subject.tickets) == [2])
    }

    @Test(arguments: ["// a#1", "// [a](b.md#1)", "#if A1", "let a = \"#12\"", "// No. 5"])
    func `may hold any other number`(line: String) {
        #expect(file(line).lines(Subject.tickets).isEmpty)
    }

    @Test(
        arguments: [
            "// let x = 1", "//let x: Int", "    // func a() {", "// }", "// private func a()",
            "// if a == b {", "// return a(b)", "// log.append(batch)", "// try a.b(c)",
            "// a = b;",
        ])
    func `holds no code`(line: String) {
        #expect(file("let a = 1\n\(line)").lines(Comments.deadCode) == [2])
    }

    @Test(
        arguments: [
            "// Let us see: it is so.", "// let the reader wait", "// func stands for a function",
            "// return early if it is not there", "// See log.append(batch) for the reason.",
            "/// let x = 1", "// The set {1, 2} is closed.", "// a call (rare)", "// Case 1",
            "// MARK: - Reading", "// swift-tools-version: 6.2", "// try again later",
            "// https://swift.org/a(b)",
        ])
    func `may be any sentence`(line: String) {
        #expect(file(line).lines(Comments.deadCode).isEmpty)
    }
}

@Suite struct `What is public` {
    private func lines(_ text: String, at path: String = "Sources/Skyros/A.swift") -> [Int] {
        SourceFile(path, text).lines(Documentation.findings)
    }

    @Test func `is described`() {
        #expect(lines("public struct A {}") == [1])
        #expect(lines("/// A.\npublic struct A {\n    public var b: Int\n    var c: Int\n}") == [3])
        #expect(lines("// A.\npublic func a() {}") == [2])
        #expect(lines("/// A.\n\npublic func a() {}") == [3])
        #expect(lines("extension A {\n    public init(b: Int) {}\n}") == [2])
        #expect(lines("public func a() {}", at: "Sources/SkyrosTesting/A.swift") == [1])
    }

    @Test func `by its place alone is described too`() {
        #expect(lines("/// A.\npublic enum A {\n    case b, c\n    static let d = 1\n}") == [3])
        #expect(lines("/// A.\npublic protocol A {\n    func b()\n}") == [3])
        #expect(lines("public extension A {\n    func b() {}\n    private func c() {}\n}") == [2])
        #expect(lines("enum A {\n    case b\n}").isEmpty)
    }

    @Test func `needs no words where a known protocol has them`() {
        let text = """
            extension A: Codable {
                public var description: String { "" }
                public static func == (a: A, b: A) -> Bool { true }
                public func hash(into hasher: inout Hasher) {}
                public init(from decoder: any Decoder) throws {}
                public init(stringLiteral value: String) {}
            }
            """
        #expect(lines(text).isEmpty)
        #expect(lines("extension A {\n    public init(from text: String, b: Int) {}\n}").isEmpty)
        #expect(lines("extension A {\n    public func hash(of text: String) {}\n}") == [2])
    }

    @Test func `is described before its attributes`() {
        #expect(lines("/// A.\n@MainActor @B(c: 1)\npublic final class A {}").isEmpty)
        #expect(lines("public import Foundation").isEmpty)
        #expect(lines("public struct A {}", at: "Sources/SkyrosTool/A.swift").isEmpty)
    }
}

import Testing

@Suite struct `A reason` {
    private func lines(_ text: String) -> [Int] {
        SourceFile("Sources/Skyros/A.swift", text).lines(Reasons.findings)
    }

    @Test(
        arguments: [
            "extension A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1",
            "unowned(unsafe) let a: B", "@preconcurrency import A",
            "let a = unsafeBitCast(b, to: C.self)",
            "let a = unsafeDowncast(b, to: C.self)",
        ])
    func `is asked for what the compiler cannot check`(code: String) {
        #expect(lines(code) == [1])
        #expect(lines("/// A value.\n\(code)") == [2])
        #expect(lines("// It holds.\n\n\(code)") == [3])
    }

    @Test func `may stand on the line or above it`() {
        #expect(lines("nonisolated(unsafe) let a = b // a constant").isEmpty)
        #expect(lines("// The layouts are the same.\nlet a = unsafeBitCast(b, to: C.self)").isEmpty)
        #expect(
            lines("/// - Note: `@unchecked`, it is locked.\nclass A: @unchecked Sendable {}")
                .isEmpty)
        #expect(lines("/// Immutable.\n@B\nfinal class A: @unchecked Sendable {}").isEmpty)
    }

    @Test func `may stand above a statement of several lines`() {
        let head = "@A(b: 1)\nfinal class B<\n    C: D\n>: E,\n    @unchecked Sendable\n{\n}"
        #expect(lines("// Guarded by E.\n\(head)").isEmpty)
        #expect(lines("// Guarded by E.\n\n\(head)") == [7])
        #expect(lines("let a = 1  // One.\nlet b =\n    unsafeBitCast(a, to: C.self)") == [3])
        let call = "a = b(\n    unsafeBitCast(c, to: D.self),\n    unsafeBitCast(e, to: D.self))"
        #expect(lines("// The layouts are the same.\n\(call)").isEmpty)
        #expect(lines("// The layouts are the same.\na()\n\(call)") == [4, 5])
    }

    @Test func `may stand above the function around the line`() {
        let text =
            "/// The cast holds because A is B.\nfunc a() {\n    unsafeBitCast(b, to: C.self)\n}"
        #expect(lines(text).isEmpty)
    }

    @Test func `is not asked for what is like it`() {
        #expect(lines("class A: Sendable {}\nnonisolated let a = 1").isEmpty)
        #expect(lines("/// No `@unchecked`.\nlet a = \"@unchecked Sendable\"").isEmpty)
    }
}

@Suite struct `A call` {
    private func lines(_ text: String, at path: String = "Sources/Skyros/A.swift") -> [Int] {
        SourceFile(path, text).lines(Calls.findings)
    }

    @Test(
        arguments: [
            "Date()", "UUID()", "Hasher()", "Date.now", "SystemRandomNumberGenerator()",
            "Int.random(in: 0..<3)", "Foundation.Date()", "Thread.sleep(forTimeInterval: 1)",
            "usleep(1)", "try await Task.sleep(for: a)", "print(a)", "Swift.print(a)",
            "a.shuffled()", "a.shuffle()", "a?.randomElement()", "[b(using: c)].randomElement()",
            "a.map { $0.random(in: b) }.sorted(using: c)",
            "Mutex(0)", "NSLock()", "DispatchQueue(label: a)", "fatalError(\"a\")", "assert(a)",
            "assertionFailure()", "DispatchSemaphore(value: 0)",
        ])
    func `that has another place or none is found`(code: String) {
        #expect(lines("\nlet a = \(code)") == [2])
    }

    @Test(
        arguments: [
            "reader.readDate()", "Date(timeIntervalSince1970: 0)", "RecordHasher()", "A.Hasher()",
            "Int.random(in: 0..<3, using: &seed)", "a.shuffled(\nusing: &seed)",
            "A.random(&seed)", "a.shuffle(using: &seed)", "a.randomElement(using: &seed)",
            "output.print(a)",
            "func print(_ a: B) {}",
            "precondition(a)", "asserted(a)", "preconditionFailure()", "sprint(a)",
            "// print(a)", "\"print(a)\"", "date.now",
        ])
    func `that is like one of them is not`(code: String) {
        #expect(lines(code).isEmpty)
    }

    @Test func `is right at its place`() {
        #expect(lines("print(a)", at: "Sources/SkyrosTool/A.swift").isEmpty)
        #expect(lines("UUID()", at: "Sources/SkyrosDisk/Environment.swift").isEmpty)
        #expect(
            lines("DispatchSemaphore(value: 0)", at: "Sources/Skyros/Write/WriterLock.swift")
                .isEmpty)
        #expect(
            lines("Thread.sleep(1)", at: "Sources/SkyrosTool/Commands/LogCommand.swift").isEmpty)
        #expect(lines("UUID()", at: "Tests/A/B.swift").isEmpty)
        #expect(lines("Task.sleep(for: a)", at: "Tests/A/B.swift") == [1])
        #expect(lines("a.shuffled()", at: "Tests/A/B.swift") == [1])
        #expect(lines("ContinuousClock.now", at: "Tests/A/B.swift") == [1])
        #expect(lines("@Test(.disabled())", at: "Tests/A/B.swift") == [1])
        #expect(lines("@inlinable func a() {}") == [1])
        #expect(
            lines("@inlinable func a() {}", at: "Sources/Skyros/Store+Reading.swift").isEmpty)
        #expect(lines("fatalError()", at: "Examples/A/B.swift") == [1])
    }
}

@Suite struct `An exception for a call` {
    private let path = "Sources/Skyros/Write/WriterLock.swift"

    @Test func `is reported when the call is gone`() {
        let idle = SourceTree([SourceFile(path, "let a = 1")]).places(Calls.idleExceptions)
        #expect(idle.contains("\(path):1"))
        let used = SourceTree([SourceFile(path, "DispatchSemaphore(value: 0)")])
        #expect(used.places(Calls.idleExceptions).count == idle.count - 1)
    }
}

@Suite struct `What is forced` {
    private func lines(_ text: String) -> [Int] {
        SourceFile("Tests/A/B.swift", text).lines(Force.findings)
    }

    @Test(
        arguments: [
            "a!.b", "a(b)!", "a[0]!", "try! a()", "a as! B", "var a: B!", "a?.b!", "a { b }!",
            "a = b!", "\"\\(a!)\"", "var a: B<C>!",
        ])
    func `is found`(code: String) {
        #expect(lines("let z = 1\n\(code)") == [2])
    }

    @Test(
        arguments: [
            "!a", "a != b", "a!=b", "(!a)", "a { !$0.b }", "while try !a() {}", "#if !os(Linux)",
            "prefix func ! (a: A) -> A { a }", "// a!", "\"a!\"", "func `is a!`() {}", "try? a()",
        ])
    func `is not a mere negation`(code: String) {
        #expect(lines(code).isEmpty)
    }
}

@Suite struct `What is private` {
    private func lines(_ text: String) -> [Int] {
        SourceFile("Sources/A/B.swift", text).lines(Unused.findings)
    }

    @Test func `is used`() {
        #expect(lines("private let a = 1\nprivate struct B {}") == [1, 2])
        #expect(lines("struct A {\n    fileprivate static func b() {}\n}") == [2])
        #expect(lines("struct A {\n    // b()\n    private var b: Int { 1 }\n}") == [3])
        #expect(lines("private func a() {}\nlet b = \"a()\"") == [1])
    }

    @Test func `may be used from anywhere in the file`() {
        #expect(lines("private let a = 1\nlet b = \"\\(a)\"").isEmpty)
        #expect(lines("struct A {\n    private init() {}\n    private(set) var b = 1\n}").isEmpty)
        #expect(lines("private extension A {\n    func b() {}\n}").isEmpty)
        #expect(lines("struct A {\n    private enum CodingKeys { case b }\n}").isEmpty)
    }
}

@Suite struct `A name` {
    private func lines(_ name: String, _ text: String) -> [Int] {
        SourceFile("Sources/Skyros/\(name).swift", text).lines(Names.findings)
    }

    @Test func `is written in full`() {
        func lines(_ text: String) -> [Int] {
            SourceFile("Tests/A/B.swift", text).lines(Names.abbreviations)
        }
        #expect(lines("func a() {\n    let idx = 1\n}") == [2])
        #expect(lines("struct PathUtils {}\nvar rowBuf: [Int]") == [1, 2])
        #expect(lines("enum A { case srcPath }") == [1])
        #expect(lines("let index = 1, rowBuffer = a(buf: 1)\nlet utility = `src`").isEmpty)
        #expect(lines("func `has a tmp`() {}").isEmpty)
    }

    @Test func `of a file is that of what it holds`() {
        func lines(_ name: String, _ text: String) -> [Int] {
            SourceFile("Sources/Skyros/\(name).swift", text).lines(Names.misnamedFiles)
        }
        #expect(lines("A", "struct B {}\nextension A {}") == [1])
        #expect(lines("A+Reading", "struct B {}") == [1])
        #expect(lines("A+Reading", "extension B { struct A {} }") == [1])
        #expect(lines("A", "struct B {}\nfinal class A<C> {}").isEmpty)
        #expect(lines("A+Reading", "extension A: B {}").isEmpty)
        #expect(lines("A", "extension B {}").isEmpty)
        #expect(lines("main", "struct B {}").isEmpty)
    }

    @Test func `of a decision begins with a number of its own`() {
        func places(_ names: String...) -> [String] {
            SourceTree(names.map { SourceFile("docs/decisions/\($0)", "# A") })
                .places(Names.misnumberedDecisions)
        }
        #expect(places("0001-a-b.md", "0002-c.md").isEmpty)
        #expect(places("0001-a.md", "0001-b.md") == ["docs/decisions/0001-b.md:1"])
        #expect(places("1-a.md", "0002_b.md").count == 2)
    }

    @Test func `has no version`() {
        #expect(lines("A", "\nstruct ReaderV2 {}") == [2])
        #expect(lines("A", "enum B { class ReaderNew {} }") == [1])
        #expect(lines("A", "typealias Reader_2 = B\nprotocol ReaderOld {}") == [1, 2])
        #expect(lines("ReaderV2", "") == [1])
        #expect(lines("ReaderOld+Reading", "") == [1])
    }

    @Test func `may end in a number or begin with new`() {
        #expect(lines("XXH64", "struct XXH64 {}\nstruct NewSegment {}\nenum Threshold {}").isEmpty)
        #expect(lines("CRC32C", "struct Int64Text {}\nfunc readV2() {}").isEmpty)
    }
}

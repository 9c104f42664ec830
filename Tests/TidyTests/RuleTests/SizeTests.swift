import Testing

@Suite struct `The size` {
    private func function(lines: Int, head: String) -> String {
        "struct A {\n    \(head) {\n" + String(repeating: "        a()\n", count: lines - 2)
            + "    }\n}\n"
    }

    @Test func `of a file is bounded in lines`() {
        let line = "let a = 1\n"
        let longest = SourceFile("A.swift", String(repeating: line, count: Sizes.fileLinesMax))
        #expect(longest.lines(Sizes.longFiles).isEmpty)
        let longer = SourceFile("A.swift", longest.text + line)
        #expect(longer.lines(Sizes.longFiles) == [Sizes.fileLinesMax + 1])
        #expect(SourceFile("a.txt", longer.text).lines(Sizes.longFiles).isEmpty)
        let entrance = SourceFile("README.md", longest.text)
        #expect(entrance.lines(Sizes.longFiles) == [Sizes.entranceLinesMax + 1])
        #expect(SourceFile("docs/README.md", longest.text).lines(Sizes.longFiles).isEmpty)
    }

    @Test(arguments: [
        "func a(\n_ b: Int)", "init(a: Int)", "subscript(a: Int) -> Int", "var a: Int",
    ])
    func `of a function is bounded`(head: String) {
        let extra = head.split(separator: "\n").count - 1
        let most = Sizes.functionLinesMax - extra
        let longest = SourceFile("A.swift", function(lines: most, head: head))
        #expect(longest.lines(Sizes.longFunctions).isEmpty)
        let longer = SourceFile("A.swift", function(lines: most + 1, head: head))
        #expect(longer.lines(Sizes.longFunctions) == [2])
    }

    @Test func `of a type is not that of a function`() {
        let text = function(lines: Sizes.functionLinesMax + 1, head: "struct B")
        #expect(SourceFile("A.swift", text).lines(Sizes.longFunctions).isEmpty)
    }

    @Test func `of a line is bounded in characters`() {
        let text = "// " + String(repeating: "ä", count: Sizes.lineCharactersMax - 3)
        #expect(SourceFile("A.swift", text).lines(Sizes.longLines).isEmpty)
        #expect(SourceFile("A.swift", "\n" + text + "a").lines(Sizes.longLines) == [2])
        #expect(SourceFile("scripts/a", text + "a").lines(Sizes.longLines) == [1])
        #expect(SourceFile("A.swift", text + " https://a.org").lines(Sizes.longLines).isEmpty)
        #expect(SourceFile("a.md", text + "a").lines(Sizes.longLines).isEmpty)
    }

    @Test func `of a file is bounded in bytes`() {
        let most = SourceFile("a.zst", "", byteCount: Sizes.fileBytesMax)
        #expect(most.lines(Sizes.largeFiles).isEmpty)
        let more = SourceFile("a.zst", "", byteCount: Sizes.fileBytesMax + 1)
        #expect(more.lines(Sizes.largeFiles) == [1])
    }
}

import Testing

@Suite struct `A page` {
    @Test func `has one title`() {
        let rule = Markdown.titles
        #expect(SourceFile("a.md", "# A\n\n## B\n").lines(rule).isEmpty)
        #expect(SourceFile("a.md", "## B\n").lines(rule) == [1])
        #expect(SourceFile("a.md", "# A\n\n# B\n").lines(rule) == [3])
        #expect(SourceFile("a.md", "# A\n```sh\n# b\n```\n\n    # c\n").lines(rule).isEmpty)
        #expect(SourceFile("a.txt", "A\n").lines(rule).isEmpty)
    }

    private func places(_ text: String) -> [String] {
        SourceTree([
            SourceFile("docs/a.md", text), SourceFile("docs/b.md", ""),
            SourceFile("Sources/C/D.swift", ""),
        ]).places(Markdown.brokenLinks)
    }

    @Test func `has links that lead somewhere`() {
        #expect(places("# A\n[c](c.md)") == ["docs/a.md:2"])
        #expect(places("[b](../b.md) and [c](./b.md#d)") == ["docs/a.md:1"])
        #expect(places("[b](b.md), [c](../Sources/C), [d](../Sources/C/D.swift#L3)").isEmpty)
        #expect(places("[a](https://a.org/b.md) [b](#b) [c](mailto:a@b.c)").isEmpty)
        #expect(places("`[c](c.md)`\n```\n[c](c.md)\n```").isEmpty)
        #expect(places("~~~\n```\n[c](c.md)\n~~~\n[c](c.md)") == ["docs/a.md:5"])
        #expect(places("[b](../../docs/b.md)") == ["docs/a.md:1"])
    }

    @Test func `has links by name that lead somewhere`() {
        #expect(places("[c][d]\n\n[d]: c.md") == ["docs/a.md:3"])
        #expect(places("[c][d]\n\n[d]: b.md#e \"B\"\n[e]: https://a.org").isEmpty)
        let names = Markdown.unknownNames
        #expect(SourceFile("a.md", "[c][d] and [e][]\n\n[c]: b.md").lines(names) == [1, 1])
        #expect(SourceFile("a.md", "[c][D] and [e][]\n\n[d]: b\n[e]: b").lines(names).isEmpty)
        #expect(SourceFile("a.md", "`a[b][c]` [d](e.md) [f]").lines(names).isEmpty)
    }
}

@Suite struct `A file` {
    @Test func `has neither tabs nor carriage returns`() {
        #expect(SourceFile("A.swift", "a\n\tb\n").lines(Files.controlCharacters) == [2])
        #expect(SourceFile("a.py", "a\r\nb\r\n").lines(Files.controlCharacters) == [1, 2])
        #expect(SourceFile("A.swift", "a(\"\\t\")\n").lines(Files.controlCharacters).isEmpty)
        #expect(SourceFile("a.csv", "a\tb").lines(Files.controlCharacters).isEmpty)
    }

    @Test func `has no blanks at the ends of its lines`() {
        #expect(SourceFile("a.md", "# A \n\nb\n").lines(Files.blankEnds) == [1])
        #expect(SourceFile("scripts/a", "a\n\nb").lines(Files.blankEnds) == [3])
        #expect(SourceFile("a.py", "a\n\n b\n").lines(Files.blankEnds).isEmpty)
        #expect(SourceFile("a.csv", "a ").lines(Files.blankEnds).isEmpty)
    }

    @Test func `is of a known kind`() {
        #expect(SourceFile("docs/a.docx", "").lines(Files.unknownKinds) == [1])
        #expect(SourceFile("core", "").lines(Files.unknownKinds) == [1])
        #expect(SourceFile("docs/a.md", "").lines(Files.unknownKinds).isEmpty)
        #expect(SourceFile("scripts/test", "").lines(Files.unknownKinds).isEmpty)
        #expect(SourceFile(".gitignore", "").lines(Files.unknownKinds).isEmpty)
    }

    @Test func `that is a script can be run`() {
        let script = "#!/bin/sh\n"
        #expect(SourceFile("scripts/a", script).lines(Files.lameScripts) == [1])
        #expect(SourceFile("scripts/a", "a", isExecutable: true).lines(Files.lameScripts) == [1])
        #expect(
            SourceFile("scripts/a", script, isExecutable: true).lines(Files.lameScripts).isEmpty)
        #expect(SourceFile("docs/a.md", script).lines(Files.lameScripts).isEmpty)
    }

    @Test func `speaks of the project alone`() throws {
        let word = try #require(Subject.words.min())
        #expect(
            SourceFile("a.md", "# A\nMade with \(word.uppercased()).").lines(Subject.findings) == [
                2
            ])
        #expect(SourceFile("A.swift", "let a_\(word)_b = 1").lines(Subject.findings) == [1])
        #expect(SourceFile("docs/\(word).md", "# A").lines(Subject.findings) == [1])
        #expect(SourceFile("a.md", "# x\(word)y").lines(Subject.findings).isEmpty)
        let acronym = Subject.acronym
        #expect(SourceFile("a.md", "# A\nWith \(acronym)-made").lines(Subject.findings) == [2])
        #expect(SourceFile("A.swift", "// \(acronym).").lines(Subject.findings) == [1])
        let isFine = "# \(acronym.lowercased()) X\(acronym) MAIN"
        #expect(SourceFile("a.md", isFine).lines(Subject.findings).isEmpty)
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

@testable import SkyrosTool

/// For Swift, a quote and a combining mark are one character; for every reader of the tool's
/// output, the quote is still a quote.
@Suite struct `A quote before a combining mark` {
    private func expect(_ text: String, _ expected: String) {
        #expect(Array(text.utf8) == Array(expected.utf8), "\(text)")
    }

    @Test func `does not end a word of a shell`() throws {
        let word = "q'\u{301}; echo pwned; '"
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "printf %s \(ShellCommand.quoted(word))"]
        let outcome = try shell.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        expect(outcome.output, word)
        expect(ShellCommand.quoted(URL(filePath: "-\u{301}")), "'./-\u{301}'")
    }

    @Test func `does not end a cell of CSV`() {
        expect(
            CSVWriter().line([.text("\"\u{301},=1+1"), .integer(7)]), "\"\"\"\u{301},=1+1\",7")
    }

    @Test func `does not end a name in SQL`() {
        expect(ImportTable.quoted("a\"\u{301}b"), "\"a\"\"\u{301}b\"")
    }

    @Test func `is no markup in HTML, as no other mark is`() {
        expect(
            ScriptText.html("<\u{301}b>\u{301}&\u{301}\"\u{301}"),
            "&lt;\u{301}b&gt;\u{301}&amp;\u{301}&quot;\u{301}")
    }

    @Test func `ends a text in a statement of SQL`() {
        var reader = StatementReader()
        #expect(reader.add("SELECT '\u{308}x'; SELECT 2;") == ["SELECT '\u{308}x';", "SELECT 2;"])
        #expect(reader.rest.isEmpty)
    }
}

/// A value may begin with a combining mark, which is one Character with the sign before it.
@Suite struct `An argument` {
    @Test func `ends its name at the first equals sign`() throws {
        let arguments = try Arguments(
            ["S", "--actor=\u{301}a", "--tag", "k=\u{301}v"], for: LogCommand.self)
        #expect(arguments.text("actor") == "\u{301}a")
        let pair = try Arguments.pair("a=\u{301}b", of: "rename")
        #expect(pair == ("a", "\u{301}b"))
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

/// Stored text may come from an attacker, and a terminal executes control characters.
@Suite struct `Text that the tool prints` {
    private let store: ToolStore
    /// A colour, the bell, an 8-bit CSI that clears the screen, DEL, a line break and a title.
    private static let hostile = "\u{1B}[31mred\u{7}\u{9B}2J\u{7F}\r\nnext\tend\u{1B}]0;title"

    init() throws {
        store = try ToolStore([Counter.self]) { store in
            try store.write(
                by: Self.hostile, because: Self.hostile,
                metadata: Metadata(tags: ["k\u{1B}": Self.hostile])
            ) { tx in
                try tx.insert(Counter(id: Self.hostile, value: 1))
            }
        }
    }

    private func lines(_ outcome: Program.Outcome) throws -> [String] {
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!holdsControls(outcome.output), "\(outcome.output.debugDescription)")
        return outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    /// Whether the text holds control characters other than line feeds.
    private func holdsControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            scalar != "\n" && scalar.properties.generalCategory == .control
        }
    }

    @Test(arguments: [
        (["log"], 2), (["show"], 1), (["history", "Counter", hostile], 3),
        (["query", "SELECT id, value, id AS \"a\u{1B}\nb\" FROM Counter"], 2),
    ])
    func `shows control characters in escaped form`(
        words: [String], lineCount: Int
    ) throws {
        let process = store.process(words[0], Array(words.dropFirst()))
        let lines = try lines(process.outcome())
        #expect(lines.count == lineCount)
    }

    @Test func `escapes each control character by its number or short form`() throws {
        let head = try #require(try lines(store.run("log")).first)
        let shown = #"\u{1B}[31mred\u{7}\u{9B}2J\u{7F}\r\nnext\tend\u{1B}]0;title"#
        #expect(head.contains("  \(shown)  \"\(shown)\"  k\\u{1B}=\(shown)"))
        let table = try lines(store.run("query", "SELECT id, value FROM Counter"))
        let width = shown.count + 2
        #expect(
            table == [
                "id".padding(toLength: width, withPad: " ", startingAt: 0) + "value",
                shown + "  1",
            ])
    }

    @Test func `escapes control characters of its arguments in errors`() throws {
        for outcome in try [
            store.run("show", "Counter", "\u{1B}[2J"), store.run("history", "Counter", "\u{1B}[2J"),
            store.run("log", "--from", "\u{1B}[2J"), store.run("query", "SELEKT\u{1B}[2J"),
        ] {
            #expect(outcome.status != 0)
            #expect(!holdsControls(outcome.errors))
            #expect(outcome.errors.contains("\\u{1B}[2J"))
        }
    }

    @Test func `escapes what is invisible or changes the order of the text`() throws {
        let store = try ToolStore([Counter.self]) { store in
            // An override, a zero-width space, an isolate, a soft hyphen, a tag, a filler.
            let id = "a\u{202E}b\u{200B}c\u{2066}d\u{AD}e\u{E0041}f\u{3164}g\u{2028}h"
            try store.write(by: "é👍🏽 \u{2764}\u{FE0F} Ελλάδα \u{5D0}\u{627}") {
                try $0.insert(Counter(id: id, value: 1))
            }
        }
        let shown = #"a\u{202E}b\u{200B}c\u{2066}d\u{AD}e\u{E0041}f\u{3164}g\u{2028}h"#
        #expect(try store.run("show").output.contains("Counter \(shown)  {"))
        let log = try store.run("log").output
        #expect(log.contains("  é👍🏽 \u{2764}\u{FE0F} Ελλάδα \u{5D0}\u{627}\n    + Counter \(shown)"))
    }

    @Test func `is valid JSON with --json`() throws {
        for command in ["log", "show"] {
            let output = try store.run(command, "--json").output
            #expect(output.split(separator: "\n").count == 1)
            let text = try FieldValue(json: output).jsonText()
            #expect(text + "\n" == output)
            #expect(text.contains(#"\u001b[31mred\u0007"#))
        }
    }
}

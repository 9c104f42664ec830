import Foundation
import Skyros
import TestSupport
import Testing

/// `skyros replay --exec`.
@Suite struct `A command that handles the events of a replay` {
    private let store: ToolStore
    private let events = 300

    init() throws {
        let events = events
        store = try ToolStore([Note.self]) { store in
            for id in 1...events {
                try store.write(by: "ann", durability: .deferred) {
                    try $0.insert(Note(id: id, text: "note \(id)"))
                }
            }
        }
    }

    private var position: String { store.path("position") }
    private var handled: String { store.path("handled") }

    /// A script that writes the number of each event that it gets to a file, and says so.
    ///
    /// - Parameter failure: what it does at event 120.
    private func script(_ failure: String = "true") -> String {
        """
        while read -r line; do
          number=${line##*'"sequence":'}; number=${number%%[,\\}]*}
          echo "$number" >> '\(handled)'
          if test "$number" = 120 && ! test -e '\(store.path("failed"))'; then
            touch '\(store.path("failed"))'
            \(failure)
          fi
          echo "$number"
        done
        """
    }

    private func run(_ arguments: String...) throws -> Program.Outcome {
        try store.process("replay", arguments).outcome()
    }

    private func numbers() throws -> [Int] {
        try String(contentsOfFile: handled, encoding: .utf8).split(separator: "\n")
            .compactMap { Int($0) }
    }

    private func kept() throws -> String? {
        try String(contentsOfFile: position, encoding: .utf8).split(separator: " ").first
            .map(String.init)
    }

    @Test func `gets each event once, as the log prints it`() throws {
        let outcome = try run("--exec", "cat > '\(handled)'", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try #require(FieldValue(json: outcome.output).map)
        #expect(object["sequence"] == .integer(300) && object["events"] == .integer(300))
        let log = try store.run("log", "--json")
        #expect(try String(contentsOfFile: handled, encoding: .utf8) == log.output)
    }

    @Test(arguments: ["exit 3", "kill -KILL $$"])
    func `continues where it was, and gets each event at least once`(failure: String) throws {
        let first = try run("--exec", script(failure), "--position", position)
        #expect(first.status == 1)
        #expect(first.output.hasSuffix(", handled through event 119\n"))
        #expect(first.errors.contains("has handled the events through 119, of 300; run the same"))
        #expect(try kept() == "119")
        let second = try run("--exec", script(), "--position", position)
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.hasPrefix("181 events, "))
        #expect(try numbers() == Array(1...120) + Array(120...300))
        #expect(try kept() == "300")
        let third = try run("--exec", script(), "--position", position)
        #expect(third.status == 0 && third.output.hasPrefix("0 events, "))
        #expect(try numbers().count == 301)
    }

    @Test func `has handled all if it exits with 0`() throws {
        let part = try run("--exec", "cat > '\(handled)'", "--position", position, "--to", "40")
        #expect(part.status == 0)
        #expect(try kept() == "40")
        // Fewer events than the position says are no reason to go back.
        let less = try run("--exec", "cat", "--position", position, "--to", "20")
        #expect(less.status == 0)
        #expect(try kept() == "40")
    }

    @Test func `that reads no more has not handled the rest`() throws {
        // More than a pipe holds.
        let large = try ToolStore([Note.self]) { store in
            let text = String(repeating: "x", count: 10_000)
            for id in 1...50 { try store.write { try $0.insert(Note(id: id, text: text)) } }
        }
        let outcome = try large.process(
            "replay", ["--exec", "head -n 1 >&2; echo 1", "--position", position]
        ).outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("exits with 0 and has handled the events through 1, of 50"))
        #expect(try kept() == "1")
    }

    @Test func `writes other lines to the standard error`() throws {
        let outcome = try run("--exec", "echo hello; cat > /dev/null; echo bye")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "hello\nbye\n")
        #expect(outcome.output.hasPrefix("300 events, "))
    }

    @Test(arguments: ["echo 301", "echo 5; echo 4", "echo 18446744073709551615"])
    func `cannot have handled what it did not get`(text: String) throws {
        let outcome = try run("--exec", "cat > /dev/null; \(text)", "--position", position)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("the command says that it has handled event"))
    }

    @Test func `begins with the event that is named`() throws {
        #expect(try run("--exec", script(), "--from", "290", "--to", "295").status == 0)
        #expect(try numbers() == Array(290...295))
        let none = try run("--exec", "cat", "--from", "301")
        #expect(none.status == 1 && none.errors.contains("there is no event 301 yet"))
    }

    @Test func `of another store or history is refused`() throws {
        #expect(try run("--exec", "cat", "--position", position).status == 0)
        let other = try ToolStore([Note.self]) { store in
            for id in 1...events { try store.write { try $0.insert(Note(id: id, text: "")) } }
        }
        let words = ["--exec", "cat", "--position", position]
        let foreign = try other.process("replay", words).outcome()
        #expect(foreign.status == 1)
        #expect(foreign.errors.contains("position in another store or history, at event 300"))
        for text in ["", "x", "1", "1 ", "-1 0000000000000000", "300  1"] {
            try Data(text.utf8).write(to: URL(filePath: position))
            let outcome = try run("--exec", "cat", "--position", position)
            #expect(outcome.status == 1 && outcome.output.isEmpty, "\(text)")
            #expect(try String(contentsOfFile: position, encoding: .utf8) == text)
        }
        try Data("301 0000000000000000\n".utf8).write(to: URL(filePath: position))
        let ahead = try run("--exec", "cat", "--position", position)
        #expect(ahead.status == 1 && ahead.errors.contains("there is no event 301 yet"))
    }

    @Test(
        arguments: [
            ["--from", "1"], ["--position", "x"], ["--exec", "cat", "--from", "0"],
            ["--exec", "cat", "--from", "2", "--position", "x"],
            ["--exec", "cat", "--from", "3", "--to", "2"],
        ])
    func `is asked for in the right words`(arguments: [String]) throws {
        #expect(try store.process("replay", arguments).outcome().status == 2)
    }
}

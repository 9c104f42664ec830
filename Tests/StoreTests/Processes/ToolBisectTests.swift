import Foundation
import Skyros
import TestSupport
import Testing

private struct Account: Entity {
    var id: Int
    var cents: Int
}

@Suite struct `skyros bisect` {
    private let store: ToolStore
    private let overdrawn = "SELECT id FROM Account WHERE cents < 0"

    /// Events 1 to 12 each add an account; that of event 9 owes something.
    init() throws {
        store = try ToolStore([Account.self]) { store in
            for id in 1...12 {
                try store.write(by: id == 9 ? "eve" : "ann", because: "account \(id)") {
                    try $0.insert(Account(id: id, cents: id == 9 ? -5 : 5))
                }
            }
        }
    }

    private func lines(_ outcome: Program.Outcome) -> [String] {
        outcome.output.split(separator: "\n").map(String.init)
    }

    @Test func `names the event, its actor and reason, and the undo command`() throws {
        let path = store.directory.store.path
        for arguments in [["--violates", overdrawn], ["SELECT min(cents) >= 0 FROM Account"]] {
            // Without accounts the answer is NULL, which does not hold.
            let words = arguments + (arguments.count == 1 ? ["--after", "1"] : [])
            let found = try store.process("bisect", words).outcome()
            #expect(found.status == 0, "\(found.errors)")
            let lines = lines(found)
            #expect(lines.count == 4)
            #expect(lines[0].hasPrefix("9  ") && lines[0].hasSuffix("  eve  \"account 9\""))
            #expect(lines[1] == "    + Account 9  {\"cents\":-5,\"id\":9}")
            #expect(lines[2] == "this event broke it; 4 states were examined")
            #expect(lines[3] == "what undoing it would do: skyros undo \(path) 9")
            let undo = lines[3].split(separator: " ").suffix(2).map(String.init)
            #expect(try Program("skyros").run(["undo"] + undo).status == 0)
        }
    }

    @Test func `prints JSON`() throws {
        let found = try store.run("bisect", "--violates", overdrawn, "--json")
        let object = try #require(FieldValue(json: found.output).map)
        #expect(object["found"] == .bool(true))
        #expect(object["states"] == .integer(4))
        #expect(object["event"]?.map?["sequence"] == .integer(9))
        #expect(object["event"]?.map?["actor"] == .text("eve"))
        #expect(object["undo"] == .text("skyros undo \(store.directory.store.path) 9"))
        let none = try store.run("bisect", "--violates", overdrawn, "--to", "8", "--json")
        #expect(none.status == 1)
        #expect(try FieldValue(json: none.output).map?["found"] == .bool(false))
    }

    @Test func `says that nothing broke it`() throws {
        let holds = try store.run("bisect", "--violates", overdrawn, "--to", "8")
        #expect(holds.status == 1)
        #expect(lines(holds) == ["it holds after event 8, the last one; 3 states were examined"])
        let broken = try store.run("bisect", "--violates", overdrawn, "--after", "9")
        #expect(broken.status == 1)
        #expect(lines(broken).count == 1)
        #expect(broken.output.hasPrefix("it does not hold after event 9 already; "))
        let beginning = try store.run("bisect", "SELECT 0")
        #expect(beginning.output.hasPrefix("it does not hold before the first event already; "))
    }

    @Test func `takes what a query may answer`() throws {
        let answers: [(String, Bool)] = [
            ("1", true), ("0", false), ("NULL", false), ("0.0", false), ("0.5", true),
            ("''", false), ("'no'", true), ("x'00'", true), ("1 WHERE 0", false), ("-1, 0", true),
        ]
        for (answer, isTrue) in answers {
            let found = try store.run("bisect", "SELECT \(answer)")
            let sentence = isTrue ? "it holds" : "it does not hold"
            #expect(found.status == 1 && found.output.hasPrefix(sentence), "\(answer)")
        }
    }

    @Test func `refuses a query that fits no state, before it reads one`() throws {
        let wrong = try store.run("bisect", "SELECT * FROM Acount")
        #expect(wrong.status == 1 && wrong.output.isEmpty)
        #expect(wrong.errors.contains("the tables are Account, _events, _changes"))
        let writing = try store.run("bisect", "--violates", "DELETE FROM Account")
        #expect(writing.errors.contains("a query may only read"))
    }

    @Test func `sees the log as it was`() throws {
        let found = try store.run(
            "bisect", "--violates", "SELECT 1 FROM _events WHERE actor = 'eve'", "--json")
        #expect(
            try FieldValue(json: found.output).map?["event"]?.map?["sequence"] == .integer(9))
    }

    @Test func `runs a command`() throws {
        let command = """
            echo "at $SKYROS_SEQUENCE"; test -d "$SKYROS_STORE" && test $SKYROS_SEQUENCE -lt 9
            """
        let found = try store.run("bisect", "--exec", command)
        #expect(found.status == 0)
        #expect(lines(found)[2] == "this event broke it; 4 states were examined")
        // Its output does not mix with ours.
        #expect(found.errors.split(separator: "\n").contains("at 9"))
    }

    @Test(arguments: ["exit 125", "exit 127", "exit 255", "kill -TERM $$", "no-such-command-x"])
    func `ends if a command does not say whether it holds`(command: String) throws {
        let found = try store.run("bisect", "--exec", command)
        #expect(found.status == 1 && found.output.isEmpty)
        #expect(found.errors.contains("the command for the state after event "))
        #expect(found.errors.contains("does not say whether it holds"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `ends its command at a signal`(signal: Int32) throws {
        let started = store.path("started")
        let process = store.process(
            "bisect", ["--exec", "sh -c 'echo $$ > \"$0\"; exec sleep 1000' '\(started)'; true"])
        try process.run()
        var child: pid_t?
        while child == nil {
            sched_yield()
            let text = try? String(contentsOfFile: started, encoding: .utf8)
            child = text.flatMap { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
        }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        // It never ends if what the child has started does not.
        while let child, kill(child, 0) == 0, !isEnded(child) { sched_yield() }
    }

    @Test func `knows how its command ended, whatever it has inherited`() throws {
        let process = store.process("bisect", ["--exec", "exit 1"])
        let words = [process.executableURL?.path ?? ""] + (process.arguments ?? [])
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "trap '' CHLD; exec \"$@\"", "sh"] + words
        let found = try process.outcome()
        #expect(found.output.hasPrefix("it does not hold before the first event already; "))
    }

    /// Whether a process has ended that nobody has waited for.
    private func isEnded(_ process: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    @Test(
        arguments: [
            [], ["SELECT 1", "SELECT 2"], ["SELECT 1", "--exec", "true"],
            ["--violates", "SELECT 1", "--exec", "true"], ["SELECT 1", "--after", "x"],
            ["SELECT 1", "--after", "3", "--to", "2"],
        ])
    func `refuses other arguments`(arguments: [String]) throws {
        let outcome = try store.process("bisect", arguments).outcome()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("usage: skyros bisect STORE"))
    }
}

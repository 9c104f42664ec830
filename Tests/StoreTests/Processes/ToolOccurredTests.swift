import Foundation
import Skyros
import TestSupport
import Testing

/// What `skyros` says of a case that was recorded later than it happened.
@Suite struct `When things happened, on the command line` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Counter.self]) { store in
            func write(
                _ day: Int, _ reason: String, _ block: (inout WriteTransaction) throws -> Void
            ) throws {
                let date = Date(timeIntervalSince1970: Double(day - 1) * 86_400)
                try store.write(
                    because: reason, metadata: Metadata(occurredAt: date), block)
            }
            try write(10, "opened") { try $0.insert(Counter(id: "a", value: 1)) }
            try write(30, "closed") { try $0.update(Counter.self, "a") { $0.value = 9 } }
            try write(20, "late report") { try $0.update(Counter.self, "a") { $0.value = 5 } }
        }
    }

    private func output(_ command: String, _ words: [String]) throws -> String {
        let outcome = try store.process(command, words).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func value(_ day: String, _ options: String...) throws -> Int? {
        let words = ["--at", "1970-01-\(day)", "--occurred", "--json"] + options
        let text = try output("show", words)
        guard !text.isEmpty else { return nil }
        let record = try FieldValue(json: String(text.dropLast()))
        return record.map?["record"]?.map?["value"]?.integer.map { Int($0) }
    }

    @Test func `a state is shown as it was on a day, and as it was known at a moment`() throws {
        #expect(try value("09") == nil)
        #expect(try value("10") == 1)
        #expect(try value("25") == 5)
        #expect(try value("25", "--known", "2") == 1)
        #expect(try value("25", "--known", "-1") == 1)
        #expect(try value("31", "--known", "1") == 1)
        #expect(try value("25", "--known", "1 hour ago") == nil)
        let refused = try store.process(
            "show", ["Counter", "--at", "1970-01-25", "--occurred", "--known", "4"]
        ).outcome()
        #expect(refused.status == 1 && refused.errors.contains("there is no event 4 yet"))
    }

    @Test func `a change that does not fit is named`() throws {
        let words = ["Counter", "--at", "1970-01-31", "--occurred"]
        let outcome = try store.process("show", words).outcome()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("event 2, which happened at 1970-01-30"))
    }

    @Test(arguments: [
        [], ["--reverse"], ["--since", "1970-01-20"], ["--until", "1970-01-20"],
        ["--since", "1970-01-11", "--until", "1970-01-29"], ["--limit", "2"],
    ])
    func `events and changes of a record are listed in that order`(options: [String]) throws {
        let expected: [String: [Int]] = [
            "": [1, 3, 2], "--reverse": [2, 3, 1], "--since 1970-01-20": [3, 2],
            "--until 1970-01-20": [1, 3], "--since 1970-01-11 --until 1970-01-29": [3],
            "--limit 2": [1, 3],
        ]
        for command in [["log"], ["history", "Counter", "a"]] {
            let words = Array(command.dropFirst()) + options + ["--occurred", "--json"]
            let found = try output(command[0], words).split(separator: "\n").map {
                try FieldValue(json: String($0)).map?["sequence"]?.integer.map { Int($0) }
            }
            #expect(found == expected[options.joined(separator: " ")], "\(command)")
        }
    }

    @Test func `the history of a record is limited by the times of its events without it`() throws {
        func history(_ options: String...) throws -> String {
            try output("history", ["Counter", "a"] + options)
        }
        #expect(try history("--until", "1970-01-31").isEmpty)
        #expect(try history("--since", "1 hour ago").contains("opened"))
        let newest = try history("--reverse", "--limit", "1")
        #expect(newest.contains("late report") && !newest.contains("closed"))
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

/// The progress bar of commands that fold the whole log.
@Suite struct `The progress bar` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Counter.self]) { store in
            for value in 0..<3 {
                try store.write { try $0.upsert(Counter(id: "a", value: value)) }
            }
        }
    }

    /// Commands with their arguments; `FILE` stands for a path in the test's directory.
    private static let commands = [
        ["verify"], ["replay"], ["show"], ["show", "Counter", "a", "--at", "3"],
        ["info"], ["history", "Counter", "a"], ["query", "SELECT 1"],
        ["export", "--format", "jsonl"],
        ["export", "Counter", "--format", "csv", "--into", "FILE"],
        ["export", "--format", "sqlite", "--into", "FILE"], ["rebuild"],
        ["rebuild", "--into", "FILE"],
    ]

    private func process(_ words: [String]) -> Process {
        let arguments = words.dropFirst().map { $0 == "FILE" ? store.path("out") : $0 }
        let process = store.process(words[0], arguments)
        // Shows the bar immediately instead of after a second.
        process.environment?["SKYROS_PROGRESS_DELAY"] = "0"
        return process
    }

    @Test(arguments: commands)
    func `is drawn on a terminal and erased at the end`(words: [String]) throws {
        let shown = try Terminal.errors(of: process(words))
        #expect(shown.contains("█ 100 %"), "\(shown.debugDescription)")
        #expect(shown.hasSuffix("\r\u{1B}[K"))
    }

    @Test(arguments: commands)
    func `is not drawn elsewhere`(words: [String]) throws {
        let outcome = try process(words).outcome()
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
    }
}

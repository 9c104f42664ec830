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

    /// A command with its arguments, and the steps of its bar; `FILE` stands for a path in the
    /// test's directory.
    struct Case: CustomTestStringConvertible, Sendable {
        let words: [String]
        let steps: [String]

        init(_ words: String, _ steps: String) {
            self.words = words.split(separator: " ").map(String.init)
            self.steps = steps.split(separator: " ").map(String.init)
        }

        var testDescription: String { words.joined(separator: " ") }

        static let all = [
            Case("verify", "comparing loading reading digesting"),
            Case("replay", "reading digesting"), Case("show", "reading writing"),
            Case("show Counter --at 3", "reading writing"), Case("info", "reading"),
            Case("show Counter a --at 3", "writing"),
            Case("history Counter a", "searching reading"), Case("query SELECT", "reading"),
            Case("export --format jsonl", "reading writing"),
            Case("export Counter --format csv --into FILE", "reading searching writing"),
            Case("export --format sqlite --into FILE", "reading writing"),
            Case("rebuild", "reading writing digesting"),
            Case("rebuild --into FILE", "reading writing digesting"),
            Case("salvage --into FILE", "scanning salvaging checking digesting"),
            Case("backup --into FILE", "copying"),
            Case(
                "salvage --into FILE --from-checkpoint", "loading writing checking digesting"),
        ]
    }

    private func process(_ words: [String]) -> Process {
        let names = ["FILE": store.path("out"), "SELECT": "SELECT 1"]
        let process = store.process(words[0], words.dropFirst().map { names[$0] ?? $0 })
        // Shows the bar immediately instead of after a second.
        process.environment?["SKYROS_PROGRESS_DELAY"] = "0"
        return process
    }

    /// The steps that a terminal has shown, and the percentages, in order.
    private func bars(_ shown: String) -> (steps: [String], percent: [Int]) {
        let lines = shown.matches(of: #/(\w+) [█░]{16} (\d+) %/#)
        let steps = lines.map { String($0.1) }.reduce(into: [String]()) { steps, step in
            if steps.last != step { steps.append(step) }
        }
        return (steps, lines.compactMap { Int($0.2) })
    }

    @Test(arguments: Case.all)
    func `covers the whole command, and is erased at the end`(_ command: Case) throws {
        let shown = try Terminal.errors(of: process(command.words))
        let (steps, percent) = bars(shown)
        #expect(steps == command.steps, "\(shown.debugDescription)")
        #expect(percent == percent.sorted())
        // A salvage keeps a share for events after the damage.
        #expect(percent.last ?? 0 >= 95)
        #expect(shown.hasSuffix("\r\u{1B}[K"))
    }

    @Test func `says how many of all, how fast, and how long it takes yet`() throws {
        let shown = try Terminal.errors(of: process(["replay"]))
        let pattern = #/reading [█░]{16} \d+ %  [123] of 3 items, [\d,]+/s, \d+ (s|min) left/#
        #expect(shown.contains(pattern), "\(shown.debugDescription)")
    }

    @Test func `never goes back, also when damage makes a verification begin anew`() throws {
        let place = store.directory.url.appending(path: "Sealed.skyros")
        var options = Store.Options()
        options.segmentBytesMax = 500
        let sealed = try Store(at: place, entities: Counter.self, options: options)
        for value in 0..<40 {
            try sealed.write { try $0.upsert(Counter(id: "a", value: value)) }
        }
        try sealed.close()
        // The next opening seals what was not sealed in time.
        try Store(at: place, entities: Counter.self, options: options).close()
        let events = place.appending(path: "events")
        let names = try FileManager.default.contentsOfDirectory(atPath: events.path)
            .filter { $0.hasSuffix(".zst") }.sorted()
        try #require(names.count > 2)
        let file = events.appending(path: names[names.count / 2])
        var bytes = try Data(contentsOf: file)
        // In its first frame, which the fold reaches after many events.
        bytes[bytes.startIndex + 150] ^= 1
        try bytes.write(to: file)

        let process = try Program("skyros").process(["verify", place.path])
        process.environment?["SKYROS_PROGRESS_DELAY"] = "0"
        let (steps, percent) = try bars(Terminal.errors(of: process, status: 1))
        #expect(steps.starts(with: ["comparing", "loading", "reading", "scanning"]), "\(steps)")
        #expect(percent == percent.sorted())
    }

    @Test(arguments: Case.all)
    func `is not drawn elsewhere`(_ command: Case) throws {
        let outcome = try process(command.words).outcome()
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
    }
}

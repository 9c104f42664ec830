import Foundation
import Skyros
import TestSupport
import Testing

/// The page that `skyros report` writes. Tests/Report/look.py opens such pages in a browser.
@Suite struct `A report` {
    private let store: ToolStore

    private static let hostile = [
        "</script><script>alert(1)</script>", "<!--<script>", "a\u{2028}b\u{2029}c", "&lt;\0\u{7}",
    ]

    init() throws {
        store = try ToolStore([Counter.self, Note.self]) { store in
            try store.write(by: "ann", because: "first") { tx in
                try tx.insert(Counter(id: "a", value: 1))
                try tx.insert(Note(id: 7, text: "n"))
            }
            try store.write(by: Self.hostile[0], because: Self.hostile[1]) { tx in
                try tx.update(Counter.self, "a") { $0.value = 2 }
                for (number, text) in Self.hostile.enumerated() {
                    try tx.insert(Note(id: number, text: text))
                }
            }
            try store.write { try $0.deleteAll(Note.self) }
            try store.write(by: "ann") { try $0.delete(Counter.self, "a") }
        }
    }

    /// Writes a report and returns it with its blocks of data, the head first.
    private func report(_ words: String...) throws -> (page: String, blocks: [[String: Any]]) {
        let file = store.path("report.html")
        let outcome = try store.process("report", ["--html", file] + words).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        let page = try String(contentsOfFile: file, encoding: .utf8)
        try FileManager.default.removeItem(atPath: file)
        let (start, end) = ("<script type=\"application/json\" class=\"data\">", "</script>")
        let blocks = try page.split(separator: "\n").filter { $0.hasPrefix(start) }.map { line in
            #expect(line.hasSuffix(end))
            let json = Data(line.dropFirst(start.count).dropLast(end.count).utf8)
            return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        }
        return (page, blocks)
    }

    @Test func `has each event with its changes`() throws {
        let (_, blocks) = try report("--to", "1")
        #expect(blocks.count == 2)
        #expect(blocks[0]["title"] as? String == store.directory.store.storeName)
        #expect(blocks[0]["first"] as? Int == 1 && blocks[0]["last"] as? Int == 1)
        #expect(blocks[1]["first"] as? Int == 1)
        #expect((blocks[1]["times"] as? [Int])?.count == 1)
        let table = try #require(blocks[1]["table"] as? [Any])
        #expect(
            table.map { "\($0)" } == [
                "<null>", "ann", "first", "Counter", "a", "id", "value", "1", "Note", "7", "text",
                "n",
            ])
        #expect(blocks[1]["shapes"] as? [[Int]] == [[5, 6], [5, 10]])
        // Actor, reason, further metadata, two changes; each: kind, entity, id, further data,
        // shape, values.
        #expect(
            blocks[1]["rows"] as? [Int]
                == [1, 2, 0, 2] + [0, 3, 4, 0, 0, 4, 7] + [0, 8, 9, 0, 1, 9, 11])
    }

    @Test func `of a range begins with the records of then`() throws {
        let (_, blocks) = try report("--from", "2", "--to", "2")
        #expect(blocks.count == 3)
        #expect(blocks[0]["first"] as? Int == 2 && blocks[0]["last"] as? Int == 2)
        #expect(blocks[1]["base"] as? Int == 2)
        #expect(blocks[2]["first"] as? Int == 2)
        #expect(try report("--since", "2001-01-01").blocks[0]["last"] as? Int == 4)
        #expect(try report("--from", "4").blocks[0]["first"] as? Int == 4)
        #expect(try report("--to", "9").blocks[0]["last"] as? Int == 4)
    }

    @Test(arguments: [
        ["--from", "5"], ["--from", "3", "--to", "2"], ["--until", "2001-01-01"],
    ])
    func `of a range without events is refused`(words: [String]) throws {
        let file = store.path("none.html")
        let outcome = try store.process("report", ["--html", file] + words).outcome()
        #expect(outcome.status == 1)
        #expect(
            outcome.errors
                == "skyros: noSuchEvent: no event is in this range; the store has the events 1 to "
                + "4\n")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `keeps stored text out of the markup`() throws {
        let (page, blocks) = try report("--title", "<b>&\"</title>{{data}}")
        let table = try #require(blocks[1]["table"] as? [Any]).compactMap { $0 as? String }
        for text in Self.hostile { #expect(table.contains { Data($0.utf8) == Data(text.utf8) }) }
        #expect(!page.contains("alert(1)</"))
        #expect(!page.contains("<!--"))
        #expect(!page.unicodeScalars.contains { ["\0", "\u{2028}", "\u{2029}"].contains($0) })
        #expect(page.contains("<title>&lt;b&gt;&amp;&quot;&lt;/title&gt;{{data}}</title>"))
        #expect(page.components(separatedBy: "</script").count == blocks.count + 2)
        #expect(page.components(separatedBy: "<script").count == blocks.count + 2)
    }

    @Test func `runs its own script only, and loads nothing`() throws {
        let page = try report().page
        let policy = try #require(page.firstMatch(of: #/Security-Policy" content="([^"]+)"/#)).1
        let nonce = try #require(policy.firstMatch(of: #/script-src 'nonce-(\w+)'/#)).1
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(page.contains("<script nonce=\"\(nonce)\">"))
        #expect(!page.contains("{{"))
        #expect(page.matches(of: #/\b(src|href|url|@import|fetch)\s*[=(:]/#).isEmpty)
        #expect(try !report().page.contains(nonce))
    }

    @Test func `of an empty store says so`() throws {
        let empty = try ToolStore([Note.self]) { _ in }
        let file = empty.path("empty.html")
        let outcome = try empty.run("report", "--html", file, "--json")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains(#""events":0,"#))
        let page = try String(contentsOfFile: file, encoding: .utf8)
        #expect(page.contains(#""first":1,"last":0,"#))
    }

    @Test func `of a pruned store begins with its floor`() throws {
        let store = try Store(at: self.store.directory.store, entities: Counter.self, Note.self)
        for id in 100..<400 {
            let text = (0..<100).map { "\(id * $0 * 7_919)" }.joined(separator: "-")
            try store.write { try $0.insert(Note(id: id, text: text)) }
        }
        try store.close()
        let last = try Store(at: self.store.directory.store, entities: Counter.self, Note.self)
        try last.write { try $0.insert(Note(id: 1, text: "last")) }
        try last.prune(before: .distantFuture)
        let first = last.firstSequence
        try last.close()
        #expect(first > 1)
        let blocks = try report().blocks
        #expect(blocks[0]["first"] as? UInt64 == first.rawValue)
        let records = blocks.compactMap { $0["base"] as? UInt64 }.reduce(0, +)
        #expect(records == first.rawValue - 1 - 4)
        let below = try self.store.run("report", "--html", self.store.path("b"), "--from", "2")
        #expect(below.status == 1 && below.errors.contains("belowFloor"), "\(below)")
    }

    @Test func `refuses to overwrite a file`() throws {
        let file = store.path("there")
        try Data("mine".utf8).write(to: URL(filePath: file))
        let outcome = try store.run("report", "--html", file)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasSuffix("\(file) exists already; remove it or name another\n"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }

    @Test(.enabled(if: !Sanitizer.isEnabled, "a sanitizer writes larger files"))
    func `that fails leaves no file behind`() throws {
        let process = store.process("report", ["--html", store.path("full.html")])
        process.limitFiles(toBlocks: 2)
        let outcome = try process.outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("full.html cannot be written"))
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
        #expect(!names.contains { $0.hasSuffix(".html") || $0.hasSuffix(".tmp") })
    }

    @Test(arguments: [
        [], ["--html"], ["--html", ""], ["--html", "x", "extra"], ["--html", "x", "--from", "a"],
        ["--html", "x", "--since", "soon"], ["--html", "x", "--unknown"],
    ])
    func `refuses wrong arguments`(words: [String]) throws {
        let outcome = try store.process("report", words).outcome()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("usage: skyros report STORE --html FILE"))
    }

    @Test func `says what it wrote`() throws {
        let file = store.path("said.html")
        let outcome = try store.run("report", "--html", file)
        #expect(outcome.output.hasPrefix("\(file): 4 events, "))
        let json = try store.run("report", "--html", store.path("json.html"), "--json").output
        #expect(json.hasPrefix(#"{"bytes":"#) && json.contains(#""events":4,"file":""#))
    }
}

extension URL {
    /// The name of a store's directory without its ending.
    fileprivate var storeName: String { deletingPathExtension().lastPathComponent }
}

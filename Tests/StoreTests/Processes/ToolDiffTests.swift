import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `skyros diff of two stores` {
    private let store: ToolStore
    private let copy: String

    init() throws {
        store = try ToolStore([Note.self]) { store in
            for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "a")) } }
        }
        copy = store.path("copy")
        #expect(try store.run("backup", "--into", copy).status == 0)
    }

    private func write(_ texts: String..., to path: String) throws {
        let store = try Store(at: URL(filePath: path), entities: Note.self)
        for text in texts { try store.write { try $0.update(Note.self, 2) { $0.text = text } } }
        try store.close()
    }

    @Test func `names the first event that is not in both`() throws {
        try write("b", "c", to: store.directory.store.path)
        try write("b", "d", to: copy)
        let outcome = try store.run("diff", "5", "--with", copy)
        #expect(outcome.status == 1)
        // The times of the events differ, too.
        #expect(outcome.output.hasPrefix("the stores differ from event 4 on\n"))
        #expect(outcome.output.contains(#"text: "c" → "d""#))
        let lines = try store.run("diff", "5", "--with", copy, "--json").output
            .split(separator: "\n").map { try FieldValue(json: String($0)).map }
        #expect(lines.count == 2 && lines[0]?["firstDifference"] == 4)
        #expect(lines[0]?["note"] == .null && lines[1]?["entity"] == "Note")
    }

    @Test func `differs also by events that lead to the same records`() throws {
        try write("b", "a", to: copy)
        let outcome = try store.run("diff", "3", "--with", copy)
        #expect(outcome.status == 1)
        #expect(outcome.output == "the stores differ from event 4 on\n")
    }

    @Test func `is empty for a copy`() throws {
        let outcome = try store.run("diff", "3", "--with", copy)
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        let json = try store.run("diff", "3", "--with", copy, "--json")
        #expect(json.status == 0)
        #expect(json.output == "{\"firstDifference\":null,\"note\":null}\n")
    }
}

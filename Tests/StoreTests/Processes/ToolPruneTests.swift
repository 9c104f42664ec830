import Foundation
import Skyros
import TestSupport
import Testing

private struct Volume: Entity {
    var id: Int
    var title: String
}

@Suite struct `skyros prune` {
    private let store: ToolStore

    /// A segment of more than 64 KiB, which closing seals, and one event after it.
    init() throws {
        store = try ToolStore([Volume.self]) { store in
            for id in 1...40 {
                let title = (0..<100).map { "\(id * $0 * 7_919)" }.joined(separator: "-")
                try store.write(by: "ann") { tx in
                    for part in 0..<4 { try tx.insert(Volume(id: id * 10 + part, title: title)) }
                }
            }
        }
        let last = try Store(at: store.directory.store, entities: Volume.self)
        try last.write(by: "bob") { try $0.insert(Volume(id: 1, title: "last")) }
        try last.close()
    }

    private var archive: Archive { get throws { try Archive(at: store.directory.store) } }

    @Test func `says what would go, and prunes with yes`() throws {
        let digest = try archive.verify().digest
        let plan = try store.run("prune", "--before", "2100-01-01")
        #expect(plan.status == 0, "\(plan)")
        #expect(plan.output.hasPrefix("the events 1 to 40, up to "))
        #expect(plan.output.hasSuffix("Use --yes to do it\n"))
        #expect(try archive.firstSequence == 1)
        let done = try store.run(
            "prune", "--before", "2100-01-01", "--yes", "--by", "eve", "--because", "old")
        #expect(done.status == 0, "\(done)")
        #expect(done.output.contains("the floor has the 160 records of then"))
        let floor = try #require(try archive.floor)
        #expect(floor.sequence == 40 && floor.actor == "eve" && floor.reason == "old")
        #expect(try archive.verify().digest == digest)
        let info = try store.run("info")
        #expect(info.output.contains("kept from event 41 on, floor of "))
        let log = try store.run("log")
        #expect(log.status == 0 && log.output.hasPrefix("41  "), "\(log)")
        let below = try store.run("log", "--from", "7")
        #expect(below.status != 0 && below.errors.contains("belowFloor"), "\(below)")
        let again = try store.run("prune", "--before", "2100-01-01", "--yes")
        #expect(again.status == 1 && again.output.contains("begins with event 41"))
        let history = try store.run("history", "Volume", "11")
        #expect(history.output.contains("kept"), "\(history)")
    }

    @Test func `leaves records that can be compared with those of another store`() throws {
        let copy = store.path("copy")
        #expect(try store.run("backup", "--into", copy, "--to", "10").status == 0)
        #expect(try store.run("prune", "--before", "2100-01-01", "--yes").status == 0)
        // What is left does not say where the two differ.
        let outcome = try store.run("diff", "41", "10", "--with", copy)
        #expect(outcome.status == 1 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.hasPrefix("one log ends before the other one begins"))
        #expect(outcome.output.contains("- Volume 110"))
        let json = try store.run("diff", "41", "10", "--with", copy, "--json")
        #expect(json.output.hasPrefix(#"{"firstDifference":null,"note":"one log"#))
        #expect(json.output.split(separator: "\n").count == 122)
    }

    @Test func `prints JSON`() throws {
        let plan = try store.run("prune", "--before", "2100-01-01", "--json")
        #expect(plan.output.hasPrefix(#"{"bytes":"#))
        #expect(plan.output.contains(#""wouldPrune":[1,40]"#))
        let none = try store.run("prune", "--before", "2001-01-01", "--json")
        #expect(none.status == 1 && none.output == "{\"pruned\":null}\n")
    }

    @Test func `needs a time`() throws {
        #expect(try store.run("prune").status == 2)
        #expect(try store.run("prune", "--before", "soon").status == 2)
    }
}

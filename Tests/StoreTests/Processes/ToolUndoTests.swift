import Foundation
import Skyros
import TestSupport
import Testing

private struct Shelf: Entity {
    var id: Int
}

private struct Volume: Entity {
    var id: Int
    var title: String
    var year: Int?
    var shelf: Ref<Shelf>?
    static let indexes: [Index<Volume>] = [.unique(\.title)]
    static let relations: [Relation<Volume>] = [.to(\.shelf, onDelete: .deny)]
}

@Suite struct `skyros undo` {
    private let store: ToolStore

    /// Events: 1 inserts shelf 1 and volume 1, 2 and 3 change its title and its year, 4 and 5 are
    /// an import.
    init() throws {
        store = try ToolStore([Shelf.self, Volume.self]) { store in
            try store.write(by: "ann") { tx in
                try tx.insert(Shelf(id: 1))
                try tx.insert(Volume(id: 1, title: "a", shelf: Ref(1)))
            }
            try store.write(by: "ann") { try $0.update(Volume.self, 1) { $0.title = "b" } }
            try store.write(by: "bob") { try $0.update(Volume.self, 1) { $0.year = 1999 } }
            for id in 2...3 {
                try store.write(metadata: Metadata(correlation: "import-7")) {
                    try $0.insert(Volume(id: id, title: "v\(id)"))
                }
            }
        }
    }

    private var archive: Archive { get throws { try Archive(at: store.directory.store) } }

    @Test func `prints what it would do, and does it with yes`() throws {
        let plan = try store.run("undo", "3")
        #expect(plan.status == 0)
        #expect(
            plan.output == """
                ~ Volume 1
                    year: 1999 → –
                1 record would change; --yes does it

                """)
        #expect(try archive.sequence == 5)
        let done = try store.run("undo", "3", "--yes", "--by", "eve", "--because", "wrong year")
        #expect(done.status == 0)
        let redo = "skyros undo \(store.directory.store.path) 6 --yes"
        #expect(done.output == "event 6 takes 1 record back; `\(redo)` redoes it\n")
        let event = try #require(try archive.event(6))
        #expect(event.metadata.actor == "eve")
        #expect(event.metadata.reason == "wrong year")
        #expect(event.undo?.ranges == [3...3])
        #expect(try archive.newestSnapshot().record("Volume", RecordID(1))?["year"] == nil)
        #expect(try store.run("verify").status == 0)
        #expect(try store.run("undo", "6", "--yes").status == 0)
        #expect(try archive.newestSnapshot().record("Volume", RecordID(1))?["year"] == 1999)
    }

    @Test func `lists conflicts, and decides about them as it is asked to`() throws {
        let refused = try store.run("undo", "2")
        #expect(refused.status == 1)
        #expect(
            refused.output == """
                ! Volume 1: it was changed by event 3
                1 record in conflict (!), 0 records without: nothing would be undone; choose with \
                --on-conflict

                """)
        let failed = try store.run("undo", "2", "--yes")
        #expect(failed.status == 1)
        #expect(failed.errors.hasPrefix("skyros: conflict: nothing was undone: Volume 1: it was"))
        #expect(try archive.sequence == 5)
        let merged = try store.run("undo", "2", "--yes", "--on-conflict", "merge", "--json")
        #expect(
            merged.output == """
                {"canMerge":true,"conflict":"changed","entity":"Volume","events":[3],"fields":[],\
                "id":1,"references":[]}
                {"changes":1,"conflicts":1,"done":true,"events":[[2,2]],"sequence":6}

                """)
        let record = try archive.newestSnapshot().record("Volume", RecordID(1))
        #expect(record?["title"] == "a")
        #expect(record?["year"] == 1999)
    }

    @Test func `takes a range or a correlation`() throws {
        let plan = try store.run("undo", "2-3", "--json")
        let lines = plan.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\"kind\":\"updated\"") == true)
        #expect(
            lines.last
                == #"{"changes":1,"conflicts":0,"done":false,"events":[[2,3]],"#
                + #""needsReason":false,"refused":false}"#)
        let done = try store.run("undo", "--correlation", "import-7", "--yes")
        #expect(done.status == 0)
        #expect(try archive.newestSnapshot().count("Volume") == 1)
    }

    @Test func `keeps the rules that the app has declared`() throws {
        let app = try Store(at: store.directory.store, entities: Shelf.self, Volume.self)
        try app.write { try $0.insert(Shelf(id: 2)) }
        try app.write { try $0.update(Volume.self, 2) { $0.shelf = Ref(2) } }
        try app.write { _ = try $0.delete(Volume.self, 3) }
        try app.write { try $0.insert(Volume(id: 4, title: "v3")) }
        // The plan only reads, so the store may be open.
        let referred = try store.run("undo", "6")
        #expect(referred.status == 1)
        #expect(
            referred.output.hasPrefix("! Shelf 2: others refer to it: Volume 2.shelf → Shelf 2"))
        let held = try store.run("undo", "3", "--yes")
        #expect(held.errors.hasPrefix("skyros: alreadyOpen: "))
        try app.close()
        let denied = try store.run("undo", "6", "--yes", "--on-conflict", "restore")
        #expect(denied.errors.hasPrefix("skyros: deletionDenied: "))
        let taken = try store.run("undo", "8", "--yes")
        #expect(taken.errors.hasPrefix("skyros: uniqueViolation: "))
        #expect(try archive.sequence == 9)
    }

    @Test(
        arguments: [
            [], ["x"], ["2-"], ["-3"], ["3-2"], ["1-2-3"], ["1", "2"],
            ["1", "--correlation", "c"], ["1", "--on-conflict", "ask"],
        ])
    func `refuses wrong arguments`(words: [String]) throws {
        let process = store.process("undo", words)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
    }

    @Test func `names what is not there`() throws {
        #expect(try store.run("undo", "6").errors.hasPrefix("skyros: noSuchEvent: "))
        let none = try store.run("undo", "--correlation", "none", "--yes")
        #expect(none.errors.hasPrefix("skyros: noSuchEvent: "))
        let tool = try Program("skyros")
        let missing = store.path("Missing.skyros")
        let outcome = try tool.run(["undo", missing, "1", "--yes"])
        #expect(outcome.errors.hasPrefix("skyros: notAStore: "))
        #expect(!FileManager.default.fileExists(atPath: missing))
    }
}

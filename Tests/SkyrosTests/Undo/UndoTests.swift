import TestSupport
import Testing

@testable import Skyros

private struct Asked: DomainCommand {}

private struct Large: Entity {
    var id: Int
    var text: String
}

@Suite struct `An undo` {
    private let store: Store

    init() throws {
        store = try SharedStore.inMemory(DraftCard.self, Label.self)
        try store.write(by: "ann") { try $0.insert(DraftCard(id: 1, title: "a", column: 1)) }
        try store.write(by: "ann") { try $0.update(DraftCard.self, 1) { $0.title = "b" } }
        try store.write(by: "ann") { _ = try $0.delete(DraftCard.self, 1) }
    }

    /// Runs a block that must be refused with this code and write nothing.
    private func refused(_ expected: StoreError.Code, _ body: () throws -> Void) throws {
        let (sequence, digest) = (store.sequence, try store.snapshot.digest())
        #expect(code(body) == expected)
        #expect(store.sequence == sequence)
        #expect(try store.snapshot.digest() == digest)
    }

    private var card: DraftCard? {
        get throws { try store.get(DraftCard.self, 1) }
    }

    @Test func `inserts what was deleted, changes back what was changed, deletes what was new`()
        throws
    {
        try store.undo(3)
        #expect(try card == DraftCard(id: 1, title: "b", column: 1))
        try store.undo(2)
        #expect(try card == DraftCard(id: 1, title: "a", column: 1))
        try store.undo(1)
        #expect(try card == nil)
    }

    @Test func `is an ordinary event, which says what it takes back`() throws {
        let result = try store.undo(
            3, by: "bob", because: "wrong card", metadata: Metadata(tags: ["ticket": "7"]),
            durability: .durable)
        #expect(result.sequence == 4)
        #expect(result.receipt.durability == .durable)
        #expect(result.events == [3...3])
        #expect(result.changeCount == 1)
        let event = try #require(try store.event(4))
        #expect(event.metadata.actor == "bob")
        #expect(event.metadata.reason == "wrong card")
        #expect(event.metadata.tags["ticket"] == "7")
        #expect(event.intent?.name == "skyros.undo")
        #expect(event.undo == UndoEvents([3...3], resolution: .refuse))
        #expect(try store.event(3)?.undo == nil)
        #expect(
            try event.intent?.value
                == .map(["events": .array([[3, 3]]), "resolution": "refuse"]))
        let entries = try store.history(of: DraftCard.self, 1)
        #expect(entries.map(\.kind) == [.inserted, .updated, .deleted, .inserted])
    }

    @Test func `is redone by the undo of its event`() throws {
        let digest = try store.snapshot.digest()
        let undo = try store.undo(.events(2...3))
        #expect(try card?.title == "a")
        let redo = try store.undo(undo.sequence)
        #expect(try store.snapshot.digest() == digest)
        try store.undo(redo.sequence)
        #expect(try card?.title == "a")
    }

    @Test func `of a range leaves out what came and went in it`() throws {
        let result = try store.undo(.events(1...3))
        #expect(result.changeCount == 0)
        #expect(try store.event(result.sequence)?.changes.isEmpty == true)
        #expect(try card == nil)
    }

    @Test func `of scattered events takes each of them back`() throws {
        try store.write { try $0.insert(DraftCard(id: 1, title: "c")) }
        try store.write { try $0.insert(DraftCard(id: 2)) }
        try store.write { try $0.update(DraftCard.self, 1) { $0.title = "d" } }
        let result = try store.undo(.events([6, 4, 6]))
        #expect(result.events == [4...4, 6...6])
        #expect(try store.all(DraftCard.self).map(\.id) == [2])
    }

    @Test func `of a clearing brings all records back`() throws {
        try store.write { try $0.insert((1...5).map { DraftCard(id: $0, column: $0) }) }
        let digest = try store.snapshot.digest()
        try store.write { _ = try $0.deleteAll(DraftCard.self) }
        let undo = try store.undo(5)
        #expect(undo.changeCount == 5)
        #expect(try store.snapshot.digest() == digest)
        try store.undo(undo.sequence)
        #expect(try store.count(DraftCard.self) == 0)
    }

    @Test func `of a correlation takes all of its events back, and no others`() throws {
        for id in 2...4 {
            try store.write(metadata: Metadata(correlation: id == 3 ? "other" : "import")) {
                try $0.insert(DraftCard(id: id))
            }
        }
        let result = try store.undo(.correlation("import"))
        #expect(result.events == [4...4, 6...6])
        #expect(try store.all(DraftCard.self).map(\.id) == [3])
        #expect(try store.event(7)?.undo?.correlation == "import")
        try refused(.noSuchEvent) { try store.undo(.correlation("none")) }
    }

    @Test func `plans anew if an event of the correlation was written meanwhile`() throws {
        let planner = UndoPlanner(store, store.session)
        try store.write { try $0.insert(DraftCard(id: 2)) }
        #expect(try !planner.misses(.correlation("import"), before: store.snapshot))
        try store.write(metadata: Metadata(correlation: "import")) {
            try $0.insert(DraftCard(id: 3))
        }
        #expect(try planner.misses(.correlation("import"), before: store.snapshot))
        #expect(try !planner.misses(.event(1), before: store.snapshot))
    }

    @Test func `of what is not there is refused`() throws {
        try refused(.noSuchEvent) { try store.undo(4) }
        try refused(.noSuchEvent) { try store.undo(0) }
        try refused(.noSuchEvent) { try store.undo(.events(3...SequenceNumber(rawValue: .max))) }
        try refused(.nothingToUndo) { try store.undo(.events([])) }
        try store.write(intent: Asked()) { _ in }
        try refused(.nothingToUndo) { try store.undo(4) }
        #expect(try store.undo(.events(3...4)).changeCount == 1)
    }

    @Test func `suspends in asynchronous code`() async throws {
        let result = try await Store.withMetadata(actor: "bob") {
            try await store.undo(3, because: "wrong", durability: .durable)
        }
        #expect(result.receipt.durability == .durable)
        #expect(try store.event(4)?.metadata.actor == "bob")
        #expect(try card?.title == "b")
        // Changed since by event 4.
        let error = await #expect(throws: StoreError.self) { try await store.undo(.event(1)) }
        #expect(error?.undoConflicts.map(\.events) == [[2, 3, 4]])
        await #expect(throws: StoreError.self) { try await store.undo(.correlation("none")) }
        #expect(store.sequence == 4)
    }

    @Test(.inFiles) func `whose store was erased since it was read writes nothing`() throws {
        let attempt = try UndoAttempt(.event(3), .refuse, nil, in: store)
        try store.nuke()
        #expect(
            code {
                try store.write { tx in
                    _ = try attempt.stage(in: &tx, of: store, expecting: { _ in })
                }
            } == .erased)
    }

    @Test func `begins anew if it does not know all of its events`() throws {
        func write(_ id: Int) throws {
            try store.write(metadata: Metadata(correlation: "c")) {
                try $0.insert(DraftCard(id: id))
            }
        }
        try write(2)
        let attempt = try UndoAttempt(.correlation("c"), .refuse, nil, in: store)
        try write(3)
        #expect(throws: StaleUndo.self) {
            try store.write { tx in
                _ = try attempt.stage(in: &tx, of: store, expecting: { _ in })
            }
        }
        #expect(try store.undo(.correlation("c")).changeCount == 2)
    }

    @Test func `inside a write block is refused`() throws {
        try store.write { _ in #expect(code { try store.undo(3) } == .nestedWrite) }
    }

    @Test func `above the limit of an event writes nothing`() throws {
        var options = Store.Options()
        options.eventBytesMax = 10_000
        let store = try SharedStore.inMemory(Large.self, options: options)
        let text = String(repeating: "x", count: 6_000)
        for id in 1...2 { try store.write { try $0.insert(Large(id: id, text: text)) } }
        for id in 1...2 { try store.write { _ = try $0.delete(Large.self, id) } }
        #expect(code { _ = try store.undoPlan(of: .events(3...4)) } == .limitExceeded)
        #expect(code { try store.undo(.events(3...4)) } == .limitExceeded)
        #expect(store.sequence == 4)
        try store.undo(3)
        #expect(try store.count(Large.self) == 1)
    }

    @Test func `is held to unique indexes`() throws {
        try store.write { try $0.insert(Label(id: 1, name: "red")) }
        try store.write { _ = try $0.delete(Label.self, 1) }
        try store.write { try $0.insert(Label(id: 2, name: "red")) }
        try refused(.uniqueViolation) { try store.undo(5) }
        #expect(code { _ = try store.undoPlan(of: .event(5)) } == .uniqueViolation)
    }

    @Test func `is planned without being written`() throws {
        let plan = try store.undoPlan(of: .events(2...3))
        #expect(plan.events == [2...3])
        #expect(plan.sequence == 3)
        #expect(plan.changes.map(\.kind) == [.inserted])
        #expect(try plan.changes.first?.after(as: DraftCard.self)?.title == "a")
        #expect(store.sequence == 3)
    }

    @Test(.inFiles) func `of an earlier history is refused`() throws {
        try store.nuke()
        #expect(code { try store.undo(3) } == .noSuchEvent)
    }
}

@Suite struct `The intent of an undo` {
    @Test func `is read back as it was written`() throws {
        let all = [
            UndoEvents([3...3], resolution: .merge),
            UndoEvents([1...2, 9...9], correlation: "c", resolution: .skip, step: .redo),
        ]
        for undo in all { #expect(try Intent(undo).decode(as: UndoEvents.self) == undo) }
    }

    @Test(arguments: [[[2, 1]], [[1]], [[1, 2, 3]], [[0, 1]], [[4, 5], [5, 6]]] as [[[Int]]])
    func `that this library did not write is no undo`(events: [[Int]]) throws {
        struct Forged: DomainCommand {
            static let commandName = "skyros.undo"
            var events: [[Int]]
            var resolution = "skip"
        }
        let store = try SharedStore.inMemory(DraftCard.self)
        try store.write(intent: Forged(events: events)) { _ in }
        #expect(try store.event(1)?.undo == nil)
        try store.write(intent: Forged(events: [[1, 1]])) { _ in }
        #expect(try store.event(2)?.undo?.ranges == [1...1])
    }
}

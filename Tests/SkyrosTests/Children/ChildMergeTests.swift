import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@Suite struct `Merging a child store` {
    private func store(_ options: Store.Options = Store.Options()) throws -> Store {
        try Store(inMemory: DraftCard.self, Period.self, Label.self, options: options)
    }

    @Test func `keeps fields that the type does not know`() throws {
        let disk = SimulatedDisk()
        let later = try Store(on: disk, entities: LaterCard.self)
        try later.write { try $0.insert(LaterCard(id: 1, title: "a", color: "red")) }
        try later.close()
        let store = try Store(on: disk, entities: DraftCard.self)
        let child = store.fork()
        try child.write { tx in try tx.update(DraftCard.self, 1) { $0.column = 3 } }
        try store.write { tx in try tx.update(DraftCard.self, 1) { $0.title = "b" } }
        try child.merge()
        try store.close()
        let again = try Store(on: disk, entities: LaterCard.self)
        #expect(try again.get(LaterCard.self, 1) == LaterCard(id: 1, title: "b", color: "red"))
        #expect(try again.snapshot.record("DraftCard", RecordID(1))?["column"] == 3)
    }

    @Test func `is refused where a unique value would occur twice, and changes nothing`() throws {
        let store = try store()
        let child = store.fork()
        try child.write { try $0.insert(Label(id: 1, name: "red")) }
        try store.write { try $0.insert(Label(id: 2, name: "red")) }
        #expect(code { _ = try child.merge() } == .uniqueViolation)
        #expect(code { _ = try child.refresh() } == .uniqueViolation)
        #expect(store.sequence == 1)
        #expect(try child.all(Label.self) == [Label(id: 1, name: "red")])
        try child.write { tx in try tx.update(Label.self, 1) { $0.name = "blue" } }
        try child.merge()
        #expect(try store.all(Label.self).map(\.name) == ["blue", "red"])
    }

    @Test func `is refused above the limit of an event, and changes nothing`() throws {
        var options = Store.Options()
        options.eventBytesMax = 10_000
        let store = try store(options)
        let child = store.fork()
        for id in 1...30 {
            let title = String(repeating: "x", count: 500)
            try child.write { try $0.insert(DraftCard(id: id, title: title)) }
        }
        #expect(code { _ = try child.merge() } == .limitExceeded)
        #expect(store.sequence == 0)
        #expect(try child.count(DraftCard.self) == 30)
        try child.write { tx in for id in 11...30 { try tx.delete(DraftCard.self, id) } }
        try child.merge()
        #expect(try store.count(DraftCard.self) == 10)
    }

    @Test func `writes a deletion of all records as one change`() throws {
        let store = try store()
        try store.write { tx in for id in 1...100 { try tx.insert(DraftCard(id: id)) } }
        let child = store.fork()
        try child.write { tx in
            try tx.delete(DraftCard.self, 1)
            try tx.deleteAll(DraftCard.self)
            try tx.insert(DraftCard(id: 7, title: "new"))
        }
        try child.merge()
        let changes = try Array(store.events(2...)).flatMap(\.changes)
        #expect(changes.count == 2 && changes[0] == .cleared(entity: "DraftCard", count: 100))
        #expect(try store.all(DraftCard.self) == [DraftCard(id: 7, title: "new")])
    }

    @Test func `counts each record that a deletion of all records deletes`() throws {
        let store = try store()
        try store.write { tx in for id in 1...100 { try tx.insert(DraftCard(id: id)) } }
        let child = store.fork()
        try child.write { tx in
            try tx.deleteAll(DraftCard.self)
            try tx.insert([DraftCard(id: 7, title: "new"), DraftCard(id: 200)])
        }
        // A record that is there before and after it is one.
        #expect(try child.merge().changeCount == 101)
    }

    @Test func `keeps what the parent inserted beside a deletion of all records`() throws {
        let store = try store()
        try store.write { try $0.insert([DraftCard(id: 1), DraftCard(id: 2)]) }
        let child = store.fork()
        try child.write { _ = try $0.deleteAll(DraftCard.self) }
        try store.write { try $0.insert(DraftCard(id: 3)) }
        try child.merge()
        #expect(try store.all(DraftCard.self).map(\.id) == [3])
    }

    @Test func `reports a deletion of all records against an update`() throws {
        let store = try store()
        try store.write { try $0.insert([DraftCard(id: 1), DraftCard(id: 2)]) }
        let child = store.fork()
        try child.write { _ = try $0.deleteAll(DraftCard.self) }
        try store.write { tx in try tx.update(DraftCard.self, 2) { $0.title = "b" } }
        let error = failure(as: StoreError.self) { try child.merge() }
        #expect(error?.conflicts.map(\.id) == [RecordID(2)])
        #expect(try child.refresh().map(\.id) == [RecordID(2)])
        #expect(failure(as: StoreError.self) { try child.merge() }?.conflicts.count == 1)
        try child.merge(policy: .parentWins)
        #expect(try store.all(DraftCard.self) == [DraftCard(id: 2, title: "b")])
    }

    @Test(
        arguments: [
            ("fails", MergePolicy.childFieldsWin, nil), ("fails too", .fail, nil),
            ("child", .childWins, Period(id: 1, start: 0, end: 4)),
            ("parent", .parentWins, Period(id: 1, start: 5, end: 10)),
        ] as [(String, MergePolicy, Period?)])
    func `makes no record that its type refuses`(
        name: String, policy: MergePolicy, result: Period?
    ) throws {
        let store = try store()
        try store.write { try $0.insert(Period(id: 1, start: 0, end: 10)) }
        let child = store.fork()
        // Both are sound; together they would end before they start.
        try child.write { tx in try tx.update(Period.self, 1) { $0.end = 4 } }
        try store.write { tx in try tx.update(Period.self, 1) { $0.start = 5 } }
        let error = failure(as: StoreError.self) { try child.merge(policy: policy) }
        if let result {
            #expect(try error == nil && store.get(Period.self, 1) == result)
        } else {
            #expect(error?.conflicts.map(\.kind) == [.unreadableTogether])
            #expect(error?.conflicts.first?.fields.sorted() == ["end", "start"])
            #expect(try child.refresh().map(\.kind) == [.unreadableTogether])
            #expect(try child.get(Period.self, 1) == Period(id: 1, start: 0, end: 4))
            #expect(code { _ = try child.merge(policy: policy) } == .mergeConflict)
            try child.discard()
        }
    }

    @Test func `leaves the child with its edits if the disk is full`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: DraftCard.self)
        let child = store.fork()
        try child.write { try $0.insert(DraftCard(id: 1)) }
        disk.inject(Fault(.write, reason: .noSpace))
        #expect(code { _ = try child.merge() } == .diskFull)
        #expect(store.sequence == 0)
        #expect(try child.hasChanges)
        try child.merge()
        #expect(try store.count(DraftCard.self) == 1)
    }

    @Test func `counts as done if its event was written, but not synced`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: DraftCard.self)
        let child = store.fork()
        try child.write { try $0.insert(DraftCard(id: 1)) }
        disk.inject(Fault(.syncFile))
        #expect(code { _ = try child.merge(durability: .durable) } == .durabilityLost)
        #expect(store.sequence == 1)
        #expect(try store.count(DraftCard.self) == 1)
        #expect(try !child.hasChanges)
    }

    @Test func `of a grandchild fails after its parent was discarded, and loses no edit`() throws {
        let store = try store()
        let child = store.fork()
        let grandchild = try child.fork()
        try grandchild.write { try $0.insert(DraftCard(id: 1)) }
        try child.discard()
        #expect(code { _ = try grandchild.merge() } == .discarded)
        #expect(code { _ = try grandchild.refresh() } == .discarded)
        #expect(try grandchild.count(DraftCard.self) == 1)
        try grandchild.discard()
    }

    @Test func `gives the event actor, reason, tags and command`() throws {
        struct Publish: DomainCommand { var card: Int }
        let store = try store()
        let child = store.fork(by: "ann")
        try child.write { try $0.insert(DraftCard(id: 1)) }
        try child.merge(
            because: "ready", metadata: Metadata(tags: ["kind": "draft"]), intent: Publish(card: 1))
        try child.write { try $0.insert(DraftCard(id: 2)) }
        try store.merge(child, by: "bob")
        let events = try Array(store.events())
        #expect(events.map(\.metadata.actor) == ["ann", "bob"])
        #expect(events[0].metadata.reason == "ready" && events[0].metadata.tags["kind"] == "draft")
        #expect(try events[0].intent?.decode(as: Publish.self).card == 1)
    }

    @Test func `of an edit that was taken back writes nothing`() throws {
        let store = try store()
        try store.write { try $0.insert(DraftCard(id: 1, title: "a")) }
        let child = store.fork()
        try child.write { tx in try tx.update(DraftCard.self, 1) { $0.title = "b" } }
        try child.write { tx in try tx.update(DraftCard.self, 1) { $0.title = "a" } }
        try child.write { try $0.insert(DraftCard(id: 2)) }
        try child.write { _ = try $0.delete(DraftCard.self, 2) }
        #expect(try !child.hasChanges && child.changes().isEmpty)
        try store.write { tx in try tx.update(DraftCard.self, 1) { $0.title = "c" } }
        #expect(try child.merge().sequence == nil)
        #expect(try child.get(DraftCard.self, 1)?.title == "c")
    }

    @Test func `lists the child's changes`() throws {
        let store = try store()
        try store.write { try $0.insert([DraftCard(id: 1, title: "a"), DraftCard(id: 2)]) }
        let child = store.fork()
        try child.write { tx in
            try tx.update(DraftCard.self, 1) { $0.title = "b" }
            try tx.delete(DraftCard.self, 2)
            try tx.insert(DraftCard(id: 3))
        }
        let texts = try child.changes().map(\.description)
        #expect(
            texts == [
                #"updated DraftCard 1 {"title":"a"} → {"title":"b"}"#,
                #"deleted DraftCard 2 {"id":2}"#,
                #"inserted DraftCard 3 {"id":3}"#,
            ])
        try child.discard()
    }

    @Test func `has what relations change of the parent's new records in a refresh`() throws {
        let store = try Board.store()
        let child = store.fork()
        try child.write { tx in
            try tx.delete(Person.self, "ann")
            try tx.delete(Board.self, 3)
        }
        try store.write { tx in
            try tx.insert(Card(id: 7, board: Ref(1), assignee: Ref("ann")))
            try tx.insert(Card(id: 8, board: Ref(3)))
        }
        #expect(try child.refresh() == [])
        #expect(try child.get(Card.self, 7)?.assignee == nil)
        #expect(try child.get(Card.self, 8) == nil)
        #expect(
            try Set(child.changes().map(\.id))
                == [RecordID("ann"), RecordID(3), RecordID(7), RecordID(8)])
        try child.write { tx in
            try tx.insert(Person(id: "ann"))
            try tx.insert(Board(id: 3, name: "board 3"))
        }
        #expect(try child.hasChanges)
        #expect(try child.refresh() == [])
        try child.merge()
        #expect(try store.snapshot.digest() == child.snapshot.digest())
        #expect(try store.get(Card.self, 7) == Card(id: 7, board: Ref(1)))
    }
}

import TestSupport
import Testing

@testable import Skyros

@Suite struct `A record that was changed since` {
    private let store: Store

    init() throws {
        store = try SharedStore.inMemory(DraftCard.self, Period.self)
        try store.write { tx in
            try tx.insert([DraftCard(id: 1, title: "a", column: 1), DraftCard(id: 2)])
        }
        try store.write { tx in
            try tx.update(DraftCard.self, 1) { $0.title = "b" }
            try tx.update(DraftCard.self, 2) { $0.title = "b" }
        }
    }

    private func edit(_ body: (inout DraftCard) -> Void) throws {
        try store.write { try $0.update(DraftCard.self, 1) { body(&$0) } }
    }

    private var cards: [DraftCard] { get throws { try store.all(DraftCard.self) } }

    /// The conflicts of an undo that must be refused.
    private func conflicts(
        _ target: UndoTarget, _ resolution: UndoResolution
    ) throws -> [UndoConflict] {
        let (sequence, before) = (store.sequence, try cards)
        let error = failure(as: StoreError.self) {
            try store.undo(target, resolving: resolution)
        }
        #expect(error?.code == .conflict)
        #expect(store.sequence == sequence)
        #expect(try cards == before)
        #expect(try store.undoPlan(of: target, resolving: resolution).isRefused)
        return error?.undoConflicts ?? []
    }

    @Test func `stops the undo, which names it`() throws {
        try edit { $0.column = 2 }
        try edit { $0.column = 3 }
        let found = try conflicts(.event(2), .refuse)
        let conflict = try #require(found.first)
        #expect(found.count == 1)
        #expect(conflict.kind == .changed)
        #expect(conflict.entity == "DraftCard")
        #expect(conflict.id == RecordID(1))
        #expect(conflict.before?["title"] == "a")
        #expect(conflict.expected?["title"] == "b")
        #expect(conflict.expected?["column"] == 1)
        #expect(conflict.found?["column"] == 3)
        #expect(conflict.events == [3, 4])
        #expect(conflict.canMerge)
        #expect(conflict.description == "DraftCard 1: it was changed by events 3, 4")
        let plan = try store.undoPlan(of: .event(2))
        #expect(plan.conflicts == found)
        #expect(plan.changes.map(\.id) == [RecordID(2)])
    }

    @Test func `is left as it is, if the undo skips it`() throws {
        try edit { $0.title = "c" }
        let result = try store.undo(2, resolving: .skip)
        #expect(try cards.map(\.title) == ["c", nil])
        #expect(result.conflicts.map(\.id) == [RecordID(1)])
        #expect(result.conflicts.map(\.events) == [[3]])
        #expect(result.changeCount == 1)
        // The redo does not touch it either.
        try store.undo(result.sequence)
        #expect(try cards.map(\.title) == ["c", "b"])
    }

    @Test func `is restored anyhow, and the redo brings its last state back`() throws {
        try edit { $0.title = "c" }
        let digest = try store.snapshot.digest()
        let result = try store.undo(2, resolving: .restore)
        #expect(try cards.map(\.title) == ["a", nil])
        #expect(result.conflicts.count == 1)
        try store.undo(result.sequence)
        #expect(try store.snapshot.digest() == digest)
    }

    @Test func `is merged if other fields were changed`() throws {
        try edit { $0.column = 2 }
        let plan = try store.undoPlan(of: .event(2), resolving: .merge)
        #expect(!plan.isRefused)
        let result = try store.undo(2, resolving: .merge)
        #expect(result.conflicts.map(\.canMerge) == [true])
        #expect(try cards[0] == DraftCard(id: 1, title: "a", column: 2))
    }

    @Test func `is not merged if the same field was changed`() throws {
        try edit { $0.title = "c" }
        let found = try conflicts(.event(2), .merge)
        #expect(found.map(\.fields) == [["title"]])
        #expect(found.map(\.canMerge) == [false])
        #expect(found.first?.description == "DraftCard 1: \"title\" changed by event 3")
    }

    @Test func `is not merged if it was deleted`() throws {
        try store.write { _ = try $0.delete(DraftCard.self, 1) }
        let found = try conflicts(.event(2), .merge)
        #expect(found.map(\.found) == [nil])
        #expect(found.first?.description == "DraftCard 1: it was deleted by event 3")
        #expect(try store.undo(2, resolving: .restore).changeCount == 2)
        #expect(try cards.map(\.title) == ["a", nil])
    }

    @Test func `is no conflict if it was changed back`() throws {
        try edit { $0.title = "c" }
        try edit { $0.title = "b" }
        #expect(try store.undo(2).conflicts.isEmpty)
        #expect(try cards.map(\.title) == ["a", nil])
    }

    @Test func `is no conflict if it is as the undo would leave it`() throws {
        try edit { $0.title = "a" }
        let result = try store.undo(2)
        #expect(result.conflicts.isEmpty)
        #expect(result.changeCount == 1)
        #expect(try cards.map(\.title) == ["a", nil])
    }

    @Test func `is in conflict if it was changed between the undone events`() throws {
        try edit { $0.column = 7 }
        try edit { $0.title = "d" }
        let found = try conflicts(.events([2, 4]), .refuse)
        #expect(found.map(\.events) == [[3]])
        #expect(try store.undoPlan(of: .events([2, 4]), resolving: .merge).changes.count == 2)
        try store.undo(.events([2, 4]), resolving: .merge)
        #expect(try cards[0] == DraftCard(id: 1, title: "a", column: 7))
    }

    @Test func `is in conflict if it was deleted with all others`() throws {
        try store.write { _ = try $0.deleteAll(DraftCard.self) }
        let found = try conflicts(.event(2), .refuse)
        #expect(found.map(\.id) == [RecordID(1), RecordID(2)])
        #expect(found.map(\.events) == [[3], [3]])
    }

    @Test func `is not changed by a clearing that came before it`() throws {
        // One correlation: it clears the cards, and later edits one that bob has inserted.
        func write(_ block: (inout WriteTransaction) throws -> Void) throws {
            try store.write(metadata: Metadata(correlation: "c"), block)
        }
        try write { _ = try $0.deleteAll(DraftCard.self) }
        try store.write { try $0.insert(DraftCard(id: 7)) }
        try write { try $0.update(DraftCard.self, 7) { $0.title = "x" } }
        try store.write { try $0.update(DraftCard.self, 7) { $0.title = "y" } }
        let found = try conflicts(.correlation("c"), .refuse)
        #expect(found.map(\.id) == [RecordID(7)])
        #expect(found.map(\.events) == [[6]])
    }

    @Test func `is not merged if its type refuses the result`() throws {
        try store.write { try $0.insert(Period(id: 1, start: 1, end: 2)) }
        try store.write { try $0.update(Period.self, 1) { ($0.start, $0.end) = (1, 9) } }
        try store.write { try $0.update(Period.self, 1) { $0.start = 5 } }
        let found = try conflicts(.event(4), .merge)
        #expect(found.map(\.canMerge) == [false])
        try store.undo(4, resolving: .restore)
        #expect(try store.get(Period.self, 1) == Period(id: 1, start: 1, end: 2))
    }
}

@Suite struct `A record that the undo would delete` {
    private let store: Store

    init() throws {
        store = try Board.store()
        try store.write { try $0.insert(Board(id: 9)) }
    }

    private func insertCard(_ card: Card) throws { try store.write { try $0.insert(card) } }

    @Test func `is kept as a conflict, if others refer to it since`() throws {
        try insertCard(Card(id: 1, board: Ref(9)))
        let error = failure(as: StoreError.self) { try store.undo(2) }
        let conflict = try #require(error?.undoConflicts.first)
        #expect(conflict.kind == .referredTo)
        #expect(conflict.references.map(\.description) == ["Card 1.board → Board 9"])
        #expect(conflict.description == "Board 9: others refer to it: Card 1.board → Board 9")
        #expect(error?.place.references == conflict.references)
        #expect(store.sequence == 3)
        #expect(try store.undo(2, resolving: .skip).changeCount == 0)
        #expect(try store.exists(Board.self, 9))
        #expect(code { try store.undo(2, resolving: .merge) } == .conflict)
    }

    @Test func `takes others along by their rule, if it is deleted anyhow`() throws {
        try insertCard(Card(id: 1, board: Ref(9)))
        let digest = try store.snapshot.digest()
        let plan = try store.undoPlan(of: .event(2), resolving: .restore)
        #expect(plan.changes.map(\.kind) == [.deleted, .deleted])
        #expect(plan.changes.map(\.entity) == ["Board", "Card"])
        let result = try store.undo(2, resolving: .restore)
        #expect(try store.count(Card.self) == 0)
        try store.undo(result.sequence)
        #expect(try store.snapshot.digest() == digest)
    }

    @Test func `is denied by the rule of a reference`() throws {
        try store.write { try $0.insert(Person(id: "eve")) }
        try insertCard(Card(id: 1, board: Ref(1), reviewer: Ref("eve")))
        let sequence = store.sequence
        #expect(code { try store.undo(3, resolving: .restore) } == .deletionDenied)
        #expect(code { try store.undo(3) } == .conflict)
        #expect(store.sequence == sequence)
        // Without the reference nothing is in the way.
        #expect(try store.undo(.events(3...4)).changeCount == 2)
    }

    @Test func `is no conflict if the referring record goes, or refers elsewhere, too`() throws {
        try insertCard(Card(id: 1, board: Ref(1)))
        try store.write { try $0.update(Card.self, 1) { $0.board = Ref(9) } }
        #expect(try store.undoPlan(of: .events([2, 4])).conflicts.isEmpty)
        #expect(try store.undo(.events([2, 3, 4])).changeCount == 2)
    }

    @Test func `stays if a record stays that refers to it`() throws {
        try insertCard(Card(id: 1, board: Ref(9)))
        try store.write { try $0.update(Card.self, 1) { $0.title = "edited" } }
        let result = try store.undo(.events(2...3), resolving: .skip)
        #expect(result.conflicts.map(\.kind) == [.referredTo, .changed])
        #expect(try store.exists(Board.self, 9))
        #expect(try store.get(Card.self, 1)?.title == "edited")
    }

    @Test func `keeps what is referred to through several records`() throws {
        // Each blocks the next; undone together, and the last is edited since.
        try store.write { tx in
            for id in 1...3 {
                try tx.insert(
                    Card(id: id, board: Ref(1), blockedBy: id > 1 ? [Ref(id - 1)] : []))
            }
        }
        try store.write { try $0.update(Card.self, 3) { $0.title = "edited" } }
        let result = try store.undo(3, resolving: .skip)
        #expect(result.changeCount == 0)
        #expect(result.conflicts.map(\.kind) == [.referredTo, .referredTo, .changed])
        #expect(try store.all(Card.self).map(\.blockedBy) == [[], [Ref(1)], [Ref(2)]])
    }

    @Test func `lists all records that refer to it and stay`() throws {
        // The second one stays because of the third, and so refers to the first.
        try store.write { tx in
            try tx.insert(Card(id: 1, board: Ref(1)))
            try tx.insert(Card(id: 2, board: Ref(1), blockedBy: [Ref(1)]))
        }
        try insertCard(Card(id: 3, board: Ref(1), blockedBy: [Ref(1), Ref(2)]))
        let result = try store.undo(3, resolving: .skip)
        #expect(
            result.conflicts.map { $0.references.map(\.description) } == [
                ["Card 2.blockedBy → Card 1", "Card 3.blockedBy → Card 1"],
                ["Card 3.blockedBy → Card 2"],
            ])
    }

    @Test func `is not in the way of itself`() throws {
        try insertCard(Card(id: 1, board: Ref(1), blockedBy: [Ref(1)]))
        try insertCard(Card(id: 2, board: Ref(1), blockedBy: [Ref(1)]))
        let result = try store.undo(3, resolving: .skip)
        #expect(
            result.conflicts.map { $0.references.map(\.description) } == [
                ["Card 2.blockedBy → Card 1"]
            ])
    }

    @Test(.mayHang) func `keeps what is referred to through any number of records`() throws {
        let count = 10_000
        try store.write { tx in
            for id in 1...count {
                try tx.insert(
                    Card(id: id, board: Ref(1), blockedBy: id > 1 ? [Ref(id - 1)] : []))
            }
        }
        try store.write { try $0.update(Card.self, count) { $0.title = "edited" } }
        let past = try UndoPlanner(store, store.session).reader.past([3...3])
        let decisions = try UndoDecisions(past, on: store.snapshot, .skip)
        #expect(decisions.restorations.isEmpty && decisions.decided.count == count)
    }

    @Test func `comes back with its cascade, but not without what it refers to`() throws {
        try insertCard(Card(id: 1, board: Ref(9)))
        let digest = try store.snapshot.digest()
        try store.write { _ = try $0.delete(Board.self, 9) }
        try store.undo(4)
        #expect(try store.snapshot.digest() == digest)
        try store.write { _ = try $0.delete(Card.self, 1) }
        try store.write { _ = try $0.delete(Board.self, 9) }
        #expect(code { try store.undo(6) } == .brokenReference)
        #expect(store.sequence == 7)
        try store.undo(.events(6...7))
        #expect(try store.snapshot.digest() == digest)
    }
}

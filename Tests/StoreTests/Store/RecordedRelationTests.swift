import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

private struct Board: Entity {
    var id: Int
}

private struct User: Entity {
    var id: Int
}

private struct Card: Entity, Equatable {
    var id: Int
    var board: Ref<Board>
    var assignee: Ref<User>?
    var reviewer: Ref<User>?
    var blockedBy: [Ref<Card>] = []
    static let relations: [Relation<Card>] = [
        .to(\.board, onDelete: .cascade),
        .to(\.assignee, onDelete: .nullify),
        .to(\.reviewer, onDelete: .deny),
        .toMany(\.blockedBy, onDelete: .remove),
    ]
}

extension Record {
    fileprivate static func card(
        _ id: Int, board: Int, blockedBy: [Int] = []
    ) throws -> Record {
        try Record(
            entity: "Card", id: RecordID(id),
            fields: [
                "id": .integer(Int128(id)), "board": .integer(Int128(board)),
                "blockedBy": .array(blockedBy.map { .integer(Int128($0)) }),
            ])
    }

    fileprivate static func board(_ id: Int) throws -> Record {
        try Record(entity: "Board", id: RecordID(id), fields: ["id": .integer(Int128(id))])
    }
}

@Suite struct `A relation that the log records` {
    /// A store with two boards, two users, and a card for each board.
    private func home(_ medium: Medium) throws -> VersionedHome {
        let home = try VersionedHome(medium)
        try home.write(as: Board.self, User.self, Card.self) { tx in
            try tx.insert([Board(id: 1), Board(id: 2)])
            try tx.insert([User(id: 1), User(id: 2)])
            try tx.insert(Card(id: 1, board: Ref(1), assignee: Ref(1)))
            try tx.insert(
                Card(id: 2, board: Ref(2), assignee: Ref(1), reviewer: Ref(2), blockedBy: [Ref(1)]))
        }
        return home
    }

    /// The cards as their type reads them, after the store was closed.
    private func cards(in home: VersionedHome, _ store: Store) throws -> [Card] {
        try store.close()
        let typed = try home.open(Board.self, User.self, Card.self)
        defer { try? typed.close() }
        #expect(typed.recovery.brokenReferences.isEmpty)
        return try typed.all(Card.self)
    }

    @Test(arguments: Medium.allCases)
    func `refuses a record that refers to none`(medium: Medium) throws {
        let home = try home(medium)
        let store = try home.open()
        let sequence = store.sequence
        let error = failure(as: StoreError.self) {
            try store.write { try $0.insert([.card(3, board: 1), .card(4, board: 9)]) }
        }
        #expect(error?.code == .brokenReference)
        #expect(error?.place.references.map(\.description) == ["Card 4.board → Board 9"])
        let list = code { try store.write { try $0.insert(.card(3, board: 1, blockedBy: [8])) } }
        #expect(list == .brokenReference)
        let update = code {
            try store.write { tx in
                try tx.update("Card", RecordID(1)) { $0["assignee"] = .integer(7) }
            }
        }
        #expect(update == .brokenReference)
        #expect(store.sequence == sequence)
        // The steps of a block may come in any order.
        try store.write { tx in
            try tx.insert(.card(3, board: 9, blockedBy: [4]))
            try tx.insert(.card(4, board: 9))
            try tx.insert(.board(9))
        }
        #expect(store.snapshot.count("Card") == 4)
    }

    @Test(arguments: Medium.allCases)
    func `is followed when a record is deleted`(medium: Medium) throws {
        let home = try home(medium)
        let store = try home.open()
        let denied = failure(as: StoreError.self) {
            _ = try store.write { try $0.delete("User", RecordID(2)) }
        }
        #expect(denied?.code == .deletionDenied)
        #expect(denied?.place.references.map(\.description) == ["Card 2.reviewer → User 2"])
        try store.write { try $0.delete("User", RecordID(1)) }
        #expect(try store.record("Card", RecordID(1))?["assignee"] == nil)
        try store.write { try $0.delete("Board", RecordID(1)) }
        #expect(try store.record("Card", RecordID(1)) == nil)
        let cards = try cards(in: home, store)
        #expect(cards == [Card(id: 2, board: Ref(2), reviewer: Ref(2))])
    }

    @Test(arguments: Medium.allCases)
    func `is followed when all records are deleted`(medium: Medium) throws {
        let home = try home(medium)
        let store = try home.open()
        try store.write { try $0.deleteAll("Board") }
        #expect(store.snapshot.count("Card") == 0)
        #expect(try cards(in: home, store).isEmpty)
    }

    @Test(arguments: Medium.allCases)
    func `answers which records refer to one, also in the past`(
        medium: Medium
    ) throws {
        let home = try home(medium)
        let store = try home.open()
        let before = store.sequence
        func cards(_ state: Snapshot) throws -> [RecordID] {
            try state.records("Card", referringBy: "assignee", to: RecordID(1)).map(\.id)
        }
        #expect(try cards(store.snapshot) == [RecordID(1), RecordID(2)])
        try store.write { try $0.delete("Card", RecordID(1)) }
        #expect(try cards(store.snapshot) == [RecordID(2)])
        let past = try store.snapshot(asOf: .sequence(before))
        #expect(try cards(past) == [RecordID(1), RecordID(2)])
        let unknown = code {
            _ = try store.snapshot.records("Card", referringBy: "id", to: RecordID(1))
        }
        #expect(unknown == .unknownRelation)
    }

    @Test(arguments: Medium.allCases)
    func `is kept in a child store`(medium: Medium) throws {
        let home = try home(medium)
        let store = try home.open()
        let child = store.fork()
        let broken = code { try child.write { try $0.insert(.card(3, board: 9)) } }
        #expect(broken == .brokenReference)
        try child.write { try $0.delete("Board", RecordID(1)) }
        #expect(try child.snapshot.count("Card") == 1)
        try child.merge()
        #expect(store.snapshot.count("Card") == 1)
    }

    @Test(arguments: Medium.allCases)
    func `leads from an entity without a type to one with a type`(
        medium: Medium
    ) throws {
        var options = Store.Options()
        options.keepsUnknownEntities = true
        let home = try home(medium)
        let store = try home.open(Board.self, options: options)
        let broken = code { try store.write { try $0.insert(.card(3, board: 9)) } }
        #expect(broken == .brokenReference)
        try store.write { try $0.delete(Board.self, 1) }
        #expect(store.snapshot.count("Card") == 1)
        #expect(try cards(in: home, store).map(\.id) == [2])
    }

    @Test(arguments: Medium.allCases)
    func `concerns references that lead nowhere at the opening`(
        medium: Medium
    ) throws {
        let home = try VersionedHome(medium)
        let first = try home.open()
        try first.write { tx in
            try tx.insert([.card(1, board: 9), .card(2, board: 1)])
            try tx.insert(.board(1))
        }
        try first.close()
        var options = Store.Options()
        options.existingBrokenReferences = .report
        try home.write(as: Board.self, User.self, Card.self, options: options) { tx in
            try tx.insert(Card(id: 3, board: Ref(1)))
        }
        #expect(code { _ = try home.open() } == .brokenReference)
        let store = try home.open(options: options)
        #expect(
            store.recovery.brokenReferences.map(\.description) == ["Card 1.board → Board 9"])
        // What was broken before a block is not its fault.
        try store.write { tx in
            try tx.update("Card", RecordID(1)) { $0["note"] = "kept" }
        }
        try store.close()
        options.existingBrokenReferences = .ignore
        let again = try home.open(options: options)
        #expect(again.recovery.brokenReferences.isEmpty)
        #expect(code { try again.write { try $0.insert(.card(4, board: 9)) } } == .brokenReference)
    }

    @Test(arguments: Medium.allCases)
    func `takes records along in a migration`(medium: Medium) throws {
        let source = try Store.untypedInMemory()
        try source.write { tx in
            try tx.insert([.board(5), .card(5, board: 5, blockedBy: [6]), .card(6, board: 6)])
            try tx.insert(.board(6))
        }
        let home = try home(medium)
        let target = try home.open()
        try migrate(from: source, to: target)
        #expect(target.snapshot.count("Card") == 4)
        try source.write { try $0.insert(.card(7, board: 7)) }
        #expect(code { try migrate(from: source, to: target) } == .brokenReference)
    }

    @Test func `is reported by a mirror whose shadow refuses it`() throws {
        let home = try home(.memory)
        let shadow = try home.open()
        let reports = Locked<[String]>([])
        let mirror = MirroredStore(primary: try SQLiteStore(), shadow: shadow) { difference in
            reports.withLock { $0.append("\(difference)") }
        }
        try mirror.commit(Metadata()) { [.put(try .card(3, board: 9))] }
        #expect(reports.withLock { $0.count } == 1)
        #expect(reports.withLock { $0[0].hasPrefix("Card 3 is not in the shadow (brokenRef") })
    }
}

import TestSupport
import Testing

@testable import Skyros

private struct Team: Entity {
    var id: Int
}

private enum V1 {
    struct Member: Entity {
        var id: Int
        var nick: String
        var team: Ref<Team>?
    }

    struct Note: Entity {
        var id: Int
        var text: String
        var color: String?
    }
}

private enum V2 {
    struct Member: Entity, Equatable {
        var id: Int
        var nickname: String
        var team: Ref<Team>?
        static let relations: [Relation<Member>] = [.to(\.team, onDelete: .nullify)]
        static let evolution: Evolution<Member> = [
            .version(2) { .rename("nick", to: "nickname") }
        ]
    }

    struct Note: Entity, Equatable {
        var id: Int
        var title: String
        var color: String?
        static let evolution: Evolution<Note> = [
            .version(2) { record in
                record["title"] = .text("old " + (record["text"]?.text ?? ""))
            }
        ]
    }
}

/// A record without its type, whose shape is newer in a child store.
@Suite struct `A record that a child has brought to a newer shape` {
    private let home: VersionedHome

    /// A member and a note of the first version, and others from which the log knows the second.
    init() throws {
        home = try VersionedHome(.memory)
        try home.write(as: Team.self, V1.Member.self, V1.Note.self) { tx in
            try tx.insert([Team(id: 1), Team(id: 2)])
            try tx.insert(V1.Member(id: 1, nick: "a", team: Ref(1)))
            try tx.insert(V1.Note(id: 1, text: "a"))
        }
        try home.write(as: Team.self, V2.Member.self, V2.Note.self) { tx in
            try tx.insert(V2.Member(id: 2, nickname: "b"))
            try tx.insert(V2.Note(id: 2, title: "b"))
        }
    }

    /// What the app reads, after the store was closed.
    private func first<E: Entity>(_ type: E.Type, _ store: Store) throws -> E? where E.ID == Int {
        try store.close()
        let app = try home.open(Team.self, V2.Member.self, V2.Note.self)
        defer { try? app.close() }
        return try app.get(type, 1)
    }

    private func setNick(_ nick: FieldValue, in store: Store) throws {
        try store.write { tx in
            try tx.update("Member", RecordID(1)) { $0["nick"] = nick }
        }
    }

    @Test(arguments: [false, true])
    func `is merged in its newest shape`(isRefreshed: Bool) throws {
        let store = try home.open()
        let child = store.fork()
        try child.write { try $0.delete("Team", RecordID(1)) }
        #expect(try child.record("Member", RecordID(1))?["nickname"] == "a")
        try setNick("x", in: store)
        if isRefreshed { #expect(try child.refresh() == []) }
        #expect(try child.merge().conflicts == [])
        #expect(try !child.hasChanges)
        let stored = try #require(try store.record("Member", RecordID(1)))
        #expect(stored["nickname"] == "x" && stored["nick"] == nil && stored["team"] == nil)
        #expect(try first(V2.Member.self, store) == V2.Member(id: 1, nickname: "x"))
    }

    @Test(
        arguments: [(.childWins, "y"), (.parentWins, "x"), (.fail, "x")]
            as [(MergePolicy, String)])
    func `conflicts by the names of its newest shape`(
        policy: MergePolicy, nickname: String
    ) throws {
        let store = try home.open()
        let child = store.fork()
        try child.write { try $0.delete("Team", RecordID(1)) }
        try child.write { tx in
            try tx.update("Member", RecordID(1)) { $0["nickname"] = "y" }
        }
        try setNick("x", in: store)
        var conflicts: [MergeConflict] = []
        do {
            conflicts = try child.merge(policy: policy).conflicts
        } catch let error as StoreError {
            conflicts = error.conflicts
        }
        #expect(conflicts.map(\.kind) == [.updatedByBoth])
        #expect(conflicts.map(\.fields) == [["nickname"]])
        #expect(conflicts.first?.parent?["nickname"] == "x")
        try child.discard()
        #expect(try first(V2.Member.self, store)?.nickname == nickname)
    }

    @Test(
        arguments: [(.childFieldsWin, "old x"), (.childWins, "new"), (.parentWins, "old x")]
            as [(MergePolicy, String)])
    func `is a conflict if only the app's type knows the steps`(
        policy: MergePolicy, title: String
    ) throws {
        let store = try home.open()
        let child = store.fork()
        let new = try Record(
            entity: "Note", id: RecordID(1), fields: ["id": 1, "title": "new", "color": "red"])
        try child.write { tx in
            try tx.delete("Note", RecordID(1))
            try tx.insert(new)
        }
        try store.write { tx in
            try tx.update("Note", RecordID(1)) { $0["text"] = "x" }
        }
        var conflicts: [MergeConflict] = []
        do {
            conflicts = try child.merge(policy: policy).conflicts
        } catch let error as StoreError {
            #expect(error.code == .mergeConflict)
            conflicts = error.conflicts
        }
        #expect(conflicts.map(\.kind) == [.unreadableTogether])
        try child.discard()
        #expect(try first(V2.Note.self, store)?.title == title)
    }
}

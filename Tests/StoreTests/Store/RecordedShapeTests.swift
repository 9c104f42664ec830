import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct Team: Entity {
    var id: Int
}

private enum V1 {
    struct Member: Entity {
        var id: Int
        var mail: String
        var group: Ref<Team>?
    }
}

private enum V2 {
    struct Member: Entity, Equatable {
        var id: Int
        var email: String
        var team: Ref<Team>?
        static let indexes: [Index<Member>] = [.unique(\.email)]
        static let relations: [Relation<Member>] = [.to(\.team, onDelete: .nullify)]
        static let evolution: Evolution<Member> = [
            .version(2) { .rename("mail", to: "email").rename("group", to: "team") }
        ]
    }
}

private enum V3 {
    struct Member: Entity, Equatable {
        var id: Int
        var email: String
        var team: Ref<Team>?
        var isActive: Bool
        static let indexes: [Index<Member>] = [.unique(\.email)]
        static let relations: [Relation<Member>] = [.to(\.team, onDelete: .nullify)]
        static let evolution: Evolution<Member> = [
            .version(2) { .rename("mail", to: "email").rename("group", to: "team") },
            .version(3) { record in
                record["email"] = .text("new " + (record["email"]?.text ?? ""))
            },
            .version(4) { .add("isActive", true) },
        ]
    }
}

extension Record {
    fileprivate static func member(_ id: Int, _ email: String, team: Int? = nil) throws -> Record {
        var fields: NamedValues<FieldValue> = [
            "id": .integer(Int128(id)), "email": .text(email), "isActive": true,
        ]
        if let team { fields["team"] = .integer(Int128(team)) }
        return try Record(entity: "Member", id: RecordID(id), fields: fields)
    }
}

@Suite struct `A record of an older shape without its type` {
    /// Two members of the first version, and one of a later one, which the log has recorded.
    private func home(
        _ medium: Medium, latest: Int = 2
    ) throws -> VersionedHome {
        let home = try VersionedHome(medium)
        try home.write(as: Team.self, V1.Member.self) { tx in
            try tx.insert([Team(id: 1), Team(id: 2)])
            try tx.insert(V1.Member(id: 1, mail: "a", group: Ref(1)))
            try tx.insert(V1.Member(id: 2, mail: "b", group: Ref(2)))
        }
        if latest == 2 {
            try home.write(as: Team.self, V2.Member.self) { tx in
                try tx.insert(V2.Member(id: 3, email: "c"))
            }
        } else {
            try home.write(as: Team.self, V3.Member.self) { tx in
                try tx.insert(V3.Member(id: 3, email: "c", isActive: true))
            }
        }
        return home
    }

    @Test(arguments: Medium.allCases)
    func `is compared as the recorded steps make it`(medium: Medium) throws {
        let home = try home(medium)
        var store = try home.open()
        for _ in 1...2 {
            let taken = code { try store.write { try $0.insert(.member(4, "a")) } }
            #expect(taken == .uniqueViolation)
            let broken = code { try store.write { try $0.insert(.member(4, "d", team: 9)) } }
            #expect(broken == .brokenReference)
            let found = try store.snapshot.records("Member", referringBy: "team", to: RecordID(1))
            #expect(found.map(\.id) == [RecordID(1)])
            try store.close()
            store = try home.open()
        }
        // A record that is replaced keeps its shape, and its names.
        let old = code {
            try store.write { tx in
                try tx.update("Member", RecordID(1)) { $0["mail"] = "b" }
            }
        }
        #expect(old == .uniqueViolation)
        let nowhere = code {
            try store.write { tx in
                try tx.update("Member", RecordID(1)) { $0["group"] = .integer(9) }
            }
        }
        #expect(nowhere == .brokenReference)
        try store.write { tx in
            try tx.update("Member", RecordID(1)) { $0["mail"] = "z" }
            try tx.insert(.member(4, "a", team: 1))
        }
        try store.close()
        let typed = try home.open(Team.self, V2.Member.self)
        #expect(try typed.all(V2.Member.self).map(\.email) == ["z", "b", "c", "a"])
    }

    @Test(arguments: Medium.allCases)
    func `gets the newest shape where a deletion changes it`(
        medium: Medium
    ) throws {
        let home = try home(medium)
        let store = try home.open()
        try store.write { try $0.delete("Team", RecordID(1)) }
        let record = try #require(try store.record("Member", RecordID(1)))
        #expect(record["email"] == "a" && record["team"] == nil && record["group"] == nil)
        let event = try #require(try Array(store.events()).last)
        let evolved: Set<FieldValue> = ["mail", "email", "group"]
        #expect(Set(event.additions(toChange: 1)["+evolved"]?.array ?? []) == evolved)
        // The other one is stored as it was.
        #expect(try store.record("Member", RecordID(2))?["mail"] == "b")
        try store.write { try $0.delete("Team", RecordID(2)) }
        #expect(code { try store.write { try $0.insert(.member(4, "a")) } } == .uniqueViolation)
        try store.close()
        let typed = try home.open(Team.self, V2.Member.self)
        #expect(try typed.all(V2.Member.self).map(\.team) == [nil, nil, nil])
        #expect(try typed.history(of: V2.Member.self, 1).count == 2)
        try typed.close()
    }

    @Test(arguments: Medium.allCases)
    func `refuses what depends on it, if a step is a closure of the app`(
        medium: Medium
    ) throws {
        let home = try home(medium, latest: 4)
        let store = try home.open()
        let sequence = store.sequence
        let insertion = failure(as: StoreError.self) {
            try store.write { try $0.insert(.member(4, "new a")) }
        }
        #expect(insertion?.code == .evolutionFailed)
        #expect(insertion?.place.ids == [RecordID(1), RecordID(2)])
        #expect(insertion?.place.field == "email")
        let deletion = code { _ = try store.write { try $0.delete("Team", RecordID(1)) } }
        #expect(deletion == .evolutionFailed)
        let update = failure(as: StoreError.self) {
            try store.write { tx in try tx.update("Member", RecordID(1)) { $0["mail"] = "z" } }
        }
        #expect(update?.code == .evolutionFailed)
        #expect(update?.place.ids == [RecordID(1)])
        let referring = code {
            _ = try store.snapshot.records("Member", referringBy: "team", to: RecordID(1))
        }
        #expect(referring == .evolutionFailed)
        #expect(store.sequence == sequence)
        // What depends on no such record is written.
        try store.write { tx in
            try tx.insert(
                Record(entity: "Team", id: RecordID(3), fields: ["id": .integer(3)]))
            try tx.update("Member", RecordID(3)) { $0["isActive"] = false }
        }
        try store.write { tx in
            try tx.delete("Member", RecordID(1))
            try tx.delete("Member", RecordID(2))
        }
        try store.write { tx in
            try tx.delete("Team", RecordID(1))
            try tx.insert(.member(4, "d", team: 2))
        }
        #expect(code { try store.write { try $0.insert(.member(5, "d")) } } == .uniqueViolation)
        try store.close()
        let typed = try home.open(Team.self, V3.Member.self)
        #expect(try typed.all(V3.Member.self).map(\.id) == [3, 4])
    }

    @Test(arguments: Medium.allCases)
    func `is known again once the app has saved it`(medium: Medium) throws {
        let home = try home(medium, latest: 4)
        try home.write(as: Team.self, V3.Member.self) { tx in
            for member in try tx.all(V3.Member.self) { try tx.update(member) }
        }
        let store = try home.open()
        #expect(code { try store.write { try $0.insert(.member(4, "new a")) } } == .uniqueViolation)
        try store.write { try $0.delete("Team", RecordID(1)) }
        #expect(try store.record("Member", RecordID(1))?["team"] == nil)
    }
}

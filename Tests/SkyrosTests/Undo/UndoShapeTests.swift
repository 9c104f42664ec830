import TestSupport
import Testing

@testable import Skyros

private enum V1 {
    struct Member: Entity {
        var id: Int
        var mail: String?
    }
}

private enum V2 {
    struct Member: Entity, Equatable {
        var id: Int
        var email: String?
        static let evolution: Evolution<Member> = [.version(2) { .rename("mail", to: "email") }]
    }
}

/// Needs a field that the first versions did not need.
private enum Strict {
    struct Member: Entity {
        var id: Int
        var mail: String
    }
}

@Suite struct `A record whose shape has changed since` {
    @Test(arguments: Medium.allCases)
    func `comes back in the shape that it had`(medium: Medium) throws {
        let home = try VersionedHome(medium)
        try home.write(as: V1.Member.self) { try $0.insert(V1.Member(id: 1, mail: "a")) }
        try home.write(as: V1.Member.self) { try $0.insert(V1.Member(id: 2, mail: "b")) }
        let store = try home.open(V2.Member.self)
        let digest = try store.snapshot.digest()
        try store.write { try $0.update(V2.Member.self, 1) { $0.email = "c" } }
        try store.write { _ = try $0.delete(V2.Member.self, 2) }
        #expect(try store.undo(.events(3...4)).changeCount == 2)
        #expect(try store.snapshot.digest() == digest)
        let table = try #require(store.snapshot.table("Member"))
        #expect(table.sortedRows().map(\.version) == [1, 1])
        #expect(try store.all(V2.Member.self).map(\.email) == ["a", "b"])
        // As a reader without this library's state sees it, too.
        try store.close()
        let reopened = try home.open(V2.Member.self)
        #expect(try reopened.all(V2.Member.self).map(\.email) == ["a", "b"])
        #expect(try reopened.snapshot.digest() == digest)
        let past = try reopened.snapshot(asOf: .sequence(4))
        #expect(try past.all(V2.Member.self).map(\.email) == ["c"])
        try reopened.close()
    }

    @Test func `has the same fields in an older shape again`() throws {
        let home = try VersionedHome(.memory)
        try home.write(as: V1.Member.self) { try $0.insert(V1.Member(id: 1)) }
        let store = try home.open(V2.Member.self)
        try store.write { try $0.update(V2.Member.self, 1) { _ in } }
        #expect(store.snapshot.table("Member")?.row(RecordID(1))?.version == 2)
        try store.undo(2)
        #expect(store.snapshot.table("Member")?.row(RecordID(1))?.version == 1)
        try store.undo(3)
        #expect(store.snapshot.table("Member")?.row(RecordID(1))?.version == 2)
        try store.close()
    }

    @Test func `is not merged with another shape`() throws {
        let home = try VersionedHome(.memory)
        try home.write(as: V1.Member.self) { try $0.insert(V1.Member(id: 1, mail: "a")) }
        try home.write(as: V1.Member.self) { try $0.update(V1.Member(id: 1, mail: "b")) }
        let store = try home.open(V2.Member.self)
        try store.write { try $0.update(V2.Member.self, 1) { $0.email = "c" } }
        #expect(code { try store.undo(2, resolving: .merge) } == .conflict)
        try store.undo(2, resolving: .restore)
        #expect(try store.get(V2.Member.self, 1)?.email == "a")
        try store.close()
    }

    @Test func `is refused if its type does not read it any more`() throws {
        let home = try VersionedHome(.memory)
        try home.write(as: V1.Member.self) { try $0.insert(V1.Member(id: 1)) }
        try home.write(as: V1.Member.self) { try $0.update(V1.Member(id: 1, mail: "b")) }
        let store = try home.open(Strict.Member.self)
        #expect(code { try store.undo(2) } == .notDecodable)
        #expect(store.sequence == 2)
        try store.close()
    }

    @Test(arguments: Medium.allCases)
    func `is undone without its type`(medium: Medium) throws {
        let home = try VersionedHome(medium)
        try home.write(as: V1.Member.self) { try $0.insert(V1.Member(id: 1, mail: "a")) }
        let second = try home.open(V2.Member.self)
        let digest = try second.snapshot.digest()
        try second.write { try $0.update(V2.Member.self, 1) { $0.email = "c" } }
        try second.close()
        let store = try home.open()
        try store.undo(2)
        #expect(try store.snapshot.digest() == digest)
        try store.close()
        let typed = try home.open(V2.Member.self)
        #expect(try typed.get(V2.Member.self, 1)?.email == "a")
        try typed.close()
    }
}

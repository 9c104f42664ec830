import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A record without its type` {
    private struct Link: Codable, Equatable {
        var id: UUID
        var site: URL
    }

    @Test(arguments: Medium.allCases)
    func `S-037: has its fields by name, with values of any Codable type`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let found = try store.snapshot.record("User", RecordID(User.john.id))
        var record = try #require(found)
        #expect(record["firstname"] == "John")
        #expect(record["age"]?.integer == 40)
        #expect(record["nickname"] == nil)

        let site = try #require(URL(string: "https://skyros.example/a?b=c"))
        try record.set("site", to: FieldValue(site))
        record["firstname"] = "Jo"
        #expect(try record["site"]?.decode(as: URL.self) == site)
        #expect(try record.decode(as: Link.self) == Link(id: User.john.id, site: site))
        #expect(try record.decode(as: User.self).firstname == "Jo")

        record["site"] = nil
        record["firstname"] = nil
        #expect(throws: DecodingError.self) { try record.decode(as: Link.self) }
        #expect(try record.decode(as: User.self).firstname == nil)
    }

    private enum Key: String {
        case firstname, age, nickname
    }

    @Test(arguments: Medium.allCases)
    func `S-037: is set by names and transforms, and an unknown name is a typed error`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert(User.john)
            try tx.set(User.self, User.john.id, ["firstname": "Jo", "age": nil])
            try tx.set(User.self, User.john.id, [Key.firstname: "Joe"])
        }
        let again = try home.reopened(store)
        let id = User.john.id
        #expect(try again.value(of: Key.firstname, in: User.self, id, as: String.self) == "Joe")
        #expect(try again.value(of: "age", in: User.self, id, as: Int?.self) == nil)
        let required = code { _ = try again.value(of: "age", in: User.self, id, as: Int.self) }
        let unknown = code {
            _ = try again.value(of: Key.nickname, in: User.self, id, as: Int?.self)
        }
        #expect(required == .unknownField && unknown == .unknownField)
        #expect(
            code { try again.write { try $0.set(User.self, id, [Key.nickname: "J"]) } }
                == .unknownField)

        var record = try #require(try again.record("User", RecordID(id)))
        let site = try #require(URL(string: "https://skyros.example/a?b=c"))
        try record.set("site", to: site, by: .urlText)
        #expect(record["site"]?.text == site.absoluteString)
        #expect(try record.value("site", by: .urlText) == site)
        #expect(code { _ = try record.value("firstname", as: Int.self) } == .notDecodable)
    }

    @Test(arguments: Medium.allCases)
    func `S-041: comes in the order of ids, also after reopening and replay`(medium: Medium) throws
    {
        let home = try Home(medium)
        let store = try home.open()
        var random = RandomSource(seed: 41)
        for id in (0..<200).shuffled(using: &random) {
            try store.write { try $0.insert(Account(id: id)) }
        }
        try store.write { tx in
            for id in stride(from: 0, to: 200, by: 3) { try tx.delete(Account.self, id) }
        }
        let expected = (0..<200).filter { !$0.isMultiple(of: 3) }
        func ids(_ state: Snapshot) throws -> [Int] { try state.all(Account.self).map(\.id) }
        #expect(try ids(store.snapshot) == expected)
        let last = store.sequence
        try store.write { try $0.insert(Account(id: 1_000)) }
        #expect(try ids(store.snapshot(asOf: .sequence(last))) == expected)
        guard medium == .disk else { return }
        let again = try home.reopened(store)
        #expect(again.recovery.checkpoint == .loaded(last.next))
        #expect(try ids(again.snapshot) == expected + [1_000])
        let archive = try Archive(at: home.directory.store)
        #expect(try ids(archive.snapshot(asOf: .sequence(last))) == expected)
    }
}

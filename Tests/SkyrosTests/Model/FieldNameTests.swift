import Foundation
import Skyros
import Testing

/// The stored name of an indexed property is that of the property, or is given.
@Suite struct `The name of an indexed field` {
    /// The plan is no help here: a unique index shows by what it refuses.
    private func refusesTwins<E: Entity>(_ first: E, _ second: E) throws -> Bool {
        let store = try Store(inMemory: E.self)
        do {
            try store.write { try $0.insert([first, second]) }
            return false
        } catch let error as StoreError where error.code == .uniqueViolation {
            return true
        }
    }

    @Test func `is that of the coding key, which is given`() throws {
        struct Renamed: Entity {
            enum CodingKeys: String, CodingKey {
                case id
                case name = "n"
                case other = "name"
            }
            static let indexes: [Index<Renamed>] = [.unique(\.name, field: "n")]
            var id: Int
            var name: String
            var other: String
        }
        #expect(
            try refusesTwins(
                Renamed(id: 1, name: "a", other: "x"), Renamed(id: 2, name: "a", other: "y")))
        #expect(
            try !refusesTwins(
                Renamed(id: 1, name: "a", other: "x"), Renamed(id: 2, name: "b", other: "x")))
    }

    @Test func `is found among fields of one type`() throws {
        struct Many: Entity {
            static let indexes: [Index<Many>] = [.unique(\.c, \.e)]
            var id: Int
            var a = 0
            var b = 0
            var c = 0
            var d: Int?
            var e: Int?
        }
        #expect(try refusesTwins(Many(id: 1, a: 1, c: 5, e: 7), Many(id: 2, b: 1, c: 5, e: 7)))
        #expect(try !refusesTwins(Many(id: 1, c: 5, d: 7), Many(id: 2, c: 5, d: 7)))
    }

    @Test func `is found for enums`() throws {
        enum Listed: String, Codable, CaseIterable { case a, b }
        enum Bare: Int, Codable { case a, b }
        struct Choice: Entity {
            static let indexes: [Index<Choice>] = [.unique(\.listed), .unique(\.flag)]
            var id: Int
            var listed: Listed
            var flag: Bool
            var text: String
        }
        #expect(
            try refusesTwins(
                Choice(id: 1, listed: .a, flag: true, text: ""),
                Choice(id: 2, listed: .a, flag: false, text: "")))
        #expect(
            try refusesTwins(
                Choice(id: 1, listed: .a, flag: true, text: ""),
                Choice(id: 2, listed: .b, flag: true, text: "")))
    }

    @Test func `is refused for what is computed`() throws {
        struct Computed: Entity {
            static let indexes: [Index<Computed>] = [.on(\.double)]
            var id: Int
            var text: String
            var double: Double { 2 }
        }
        #expect(throws: StoreError(.invalidSchema, "")) { try Store(inMemory: Computed.self) }
    }

    @Test func `must be as many as there are key paths`() throws {
        struct Unequal: Entity {
            static let indexes: [Index<Unequal>] = [.on(\.text, fields: ["a", "b"])]
            var id: Int
            var text: String
        }
        #expect(throws: StoreError(.invalidSchema, "")) { try Store(inMemory: Unequal.self) }
    }
}

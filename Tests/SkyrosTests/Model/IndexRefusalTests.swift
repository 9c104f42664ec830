import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Key paths of which samples do not tell under which name a property is stored.
@Suite struct `An index of key paths` {
    private func fields<each V: Encodable & Sendable, E: Entity>(
        _ paths: repeat FieldPath<E, each V>
    ) throws -> [String] {
        try Index<E>.on(repeat each paths).definition().fields
    }

    /// Expects that the error names the entity and says what to do.
    private func expectRefusal<V: Encodable & Sendable, E: Entity>(
        of path: FieldPath<E, V>, location: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: StoreError.self, sourceLocation: location) {
            _ = try Index<E>.on(path).definition()
        }
        #expect(error?.code == .invalidSchema, sourceLocation: location)
        #expect(error?.place.entity == E.entityName, sourceLocation: location)
        #expect(error?.message.contains("fields:") == true, sourceLocation: location)
        let given = try Index<E>.on(path, fields: ["given"]).definition()
        #expect(given.fields == ["given"], sourceLocation: location)
    }

    @Test func `is refused for a property that is written under another name than it is read`()
        throws
    {
        struct Moved: Entity {
            enum CodingKeys: CodingKey { case id, name, title }
            var id: Int
            var title: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                let key: CodingKeys = container.contains(.name) ? .name : .title
                title = try container.decode(String.self, forKey: key)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(title, forKey: .title)
            }
        }
        try expectRefusal(of: \Moved.title)
        #expect(try fields(\Moved.id) == ["id"])
    }

    @Test func `is refused for what is computed, though there is one field of its type`() throws {
        struct Person: Entity {
            var id: Int
            var name: String
            var age: Double
            var initial: String { String(name.prefix(1)) }
            var alias: String { name }
            var years: Double { age.rounded() }
            var isOld: Bool { age > 60 }
        }
        try expectRefusal(of: \Person.initial)
        try expectRefusal(of: \Person.alias)
        try expectRefusal(of: \Person.years)
        try expectRefusal(of: \Person.isOld)
        try expectRefusal(of: \Person.name.count)
        try expectRefusal(of: \Person.name.isEmpty)
        #expect(try fields(\Person.name, \.age) == ["name", "age"])
    }

    @Test func `is refused for what is not stored`() throws {
        struct Cached: Entity {
            enum CodingKeys: CodingKey { case id, name }
            var id: Int
            var name: String
            var cache = ""
            var size = 0
        }
        try expectRefusal(of: \Cached.cache)
        try expectRefusal(of: \Cached.size)
        #expect(try fields(\Cached.name) == ["name"])
    }

    @Test func `is refused for what is observed, unless its name is given`() throws {
        struct Watched: Entity {
            var id: Int
            var text: String { didSet { changeCount += 1 } }
            var changeCount = 0
        }
        try expectRefusal(of: \Watched.text)
    }

    @Test func `is refused for what lies within a field`() throws {
        struct Address: Codable, Sendable { var city = ""; var zip = 0 }
        struct Guest: Entity {
            var id: String
            var address: Address
            var other: Address?
        }
        try expectRefusal(of: \Guest.address.city)
        try expectRefusal(of: \Guest.address.zip)
        try expectRefusal(of: \Guest.other?.city)
        #expect(try fields(\Guest.address) == ["address"])
    }

    @Test func `is refused rather than tried with a value that no initialiser makes`() throws {
        struct Refusal: Error {}
        struct Month: Codable, Sendable {
            let number: Int

            init(from decoder: any Decoder) throws {
                number = try decoder.singleValueContainer().decode(Int.self)
                guard (3...12).contains(number) else { throw Refusal() }
            }

            func encode(to encoder: any Encoder) throws {
                if !(3...12).contains(number) { Issue.record("There is no month \(number).") }
                var container = encoder.singleValueContainer()
                try container.encode(number)
            }
        }
        struct Bill: Entity {
            var id: Int
            var month: Month
        }
        try expectRefusal(of: \Bill.month)
        try expectRefusal(of: \Bill.id)
    }

    @Test func `is refused with a field twice, whether found or given`() {
        #expect(throws: StoreError(.invalidSchema, "")) {
            try Index<Note>.on(\.text, \.id, \.text).definition()
        }
        #expect(throws: StoreError(.invalidSchema, "")) {
            try Index<Note>.unique(\.text, \.id, fields: ["text", "text"]).definition()
        }
        #expect(throws: StoreError(.invalidSchema, "")) { try Index<Note>.on().definition() }
    }
}

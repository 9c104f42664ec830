import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Key paths that do not tell under which name a property is stored.
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
        #expect(error?.message.contains("field:") == true, sourceLocation: location)
        let given = try Index<E>.on(path, fields: ["given"]).definition()
        #expect(given.fields == ["given"], sourceLocation: location)
    }

    @Test func `is refused for what is computed`() throws {
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

    @Test func `is refused for what is observed or wrapped, unless its name is given`() throws {
        struct Watched: Entity {
            var id: Int
            var text: String { didSet { changeCount += 1 } }
            var changeCount = 0
        }
        try expectRefusal(of: \Watched.text)
        @propertyWrapper struct Wrapper: Codable, Sendable { var wrappedValue: Int }
        struct Wrapped: Entity {
            var id: Int
            @Wrapper var number: Int
        }
        try expectRefusal(of: \Wrapped.number)
        struct Pair: Entity, Hashable {
            var id: Int
            var other: (Int) { id }
        }
        try expectRefusal(of: \Pair.self)
        try expectRefusal(of: \Pair.other)
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

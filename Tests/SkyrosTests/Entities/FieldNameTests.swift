import Foundation
import Testing

@testable import Skyros

/// Under which stored name an index finds the property of a key path.
@Suite struct `The stored name of a property` {
    private func fields<E: Entity>(_ index: Index<E>) throws -> [String] {
        try index.definition().fields
    }

    private func refusal<E: Entity>(_ index: Index<E>) -> StoreError? {
        do {
            let definition = try index.definition()
            Issue.record("found \(definition.fields)")
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `is the property's own`() throws {
        #expect(try fields(.on(\Plain.a)) == ["a"])
        #expect(try fields(.on(\Plain.b)) == ["b"])
        #expect(try fields(.unique(\Plain.id, \.day, \.b)) == ["id", "day", "b"])
        #expect(
            try fields(.on(\Plain.flag, \.number, \.key, \.data)) == [
                "flag", "number", "key", "data",
            ])
    }

    @Test func `is the one that coding keys give`() throws {
        #expect(try fields(.on(\Renamed.first)) == ["second"])
        #expect(try fields(.on(\Renamed.second)) == ["first"])
        #expect(try fields(.on(\Renamed.count)) == ["n"])
    }

    @Test func `is found behind optionals`() throws {
        #expect(try fields(.on(\Optionals.a, \.b, \.c)) == ["a", "b", "c"])
        #expect(try fields(.on(\Optionals.kind)) == ["kind"])
    }

    @Test func `is found for enumerations that list their cases`() throws {
        #expect(try fields(.on(\Enumerations.size)) == ["size"])
        #expect(try fields(.on(\Enumerations.otherSize)) == ["otherSize"])
    }

    @Test func `is found for an enumeration that does not, if its type is on one property`() throws
    {
        #expect(try fields(.on(\Enumerations.kind)) == ["kind"])
        #expect(try fields(.on(\Enumerations.level, \.otherLevel)) == ["level", "otherLevel"])
        #expect(refusal(.on(\Enumerations.color))?.code == .invalidSchema)
        #expect(refusal(.on(\Enumerations.otherColor))?.code == .invalidSchema)
    }

    @Test func `is found for a whole structure, and not for what is in it`() throws {
        #expect(try fields(.on(\Nested.place)) == ["place"])
        #expect(try fields(.on(\Nested.name)) == ["name"])
        #expect(refusal(.on(\Nested.place.town))?.code == .invalidSchema)
        #expect(refusal(.on(\Nested.place.kind))?.code == .invalidSchema)
        #expect(refusal(.on(\Nested.name.count))?.code == .invalidSchema)
    }

    @Test func `does not exist for computed properties`() {
        #expect(refusal(.on(\Computed.twice))?.code == .invalidSchema)
        #expect(refusal(.on(\Computed.title))?.code == .invalidSchema)
        #expect(refusal(.on(\Computed.length))?.code == .invalidSchema)
        #expect(refusal(.on(\Computed.folded))?.code == .invalidSchema)
        #expect(refusal(.on(\Computed.self))?.code == .invalidSchema)
        #expect(throws: StoreError(.invalidSchema, "")) { try Store(inMemory: Computed.self) }
    }

    @Test func `does not exist for properties that are not stored`() {
        #expect(refusal(.on(\Unstored.cache))?.code == .invalidSchema)
    }

    @Test func `must be given where samples are refused`() throws {
        let error = refusal(.on(\Fussy.name))
        #expect(error?.code == .invalidSchema)
        #expect(error?.place.entity == "Fussy")
        #expect(error?.message.contains("fields: [\"name\"]") == true)
        #expect(try fields(.on(\Fussy.name, fields: ["name"])) == ["name"])
        #expect(try fields(.on(\Computed.title, fields: ["name"])) == ["name"])
    }

    @Test func `must be given once for each key path`() throws {
        #expect(refusal(.on(\Plain.a, fields: []))?.code == .invalidSchema)
        #expect(refusal(.on(\Plain.a, \.b, fields: ["a"]))?.code == .invalidSchema)
        let index: Index<Plain> = .on()
        #expect(refusal(index)?.code == .invalidSchema)
    }
}

private struct Plain: Entity {
    var id = UUID()
    var a: String
    var b: String
    var key: UUID
    var day: Date
    var data: Data
    var flag: Bool
    var number: Double
}

private struct Renamed: Entity {
    var id: Int
    var first: String
    var second: String
    var count: Int

    enum CodingKeys: String, CodingKey {
        case id
        case first = "second"
        case second = "first"
        case count = "n"
    }
}

private struct Optionals: Entity {
    var id: Int
    var a: String?
    var b: String
    var c: String?
    var kind: Enumerations.Kind?
}

private struct Enumerations: Entity {
    enum Size: String, Codable, CaseIterable { case small, large }
    enum Kind: String, Codable { case old, recent }
    enum Color: String, Codable { case red, green }
    enum Level: Int, Codable { case low, high }

    var id: Int
    var size: Size
    var otherSize: Size
    var kind: Kind
    var color: Color
    var otherColor: Color
    var level: Level
    var otherLevel: Level
}

private struct Nested: Entity {
    enum Kind: String, Codable { case city, village }

    struct Place: Codable {
        var town: String
        var kind: Kind
    }

    var id: UUID
    var name: String
    var kind: Kind
    var place: Place
}

private struct Computed: Entity {
    var id: Int
    var name: String

    var twice: Int { id * 2 }
    var title: String { name }
    var length: Int { name.count }
    var folded: String { name.lowercased() }

    static let indexes: [Index<Computed>] = [.on(\.folded)]
}

private struct Unstored: Entity {
    var id: Int
    var name: String
    var cache = ""

    enum CodingKeys: String, CodingKey { case id, name }
}

private struct Fussy: Entity {
    var id: Int
    var name: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        guard name.count >= 3 else {
            throw DecodingError.dataCorruptedError(
                forKey: .name, in: container, debugDescription: "too short")
        }
    }
}

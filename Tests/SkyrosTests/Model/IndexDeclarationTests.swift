import Foundation
import Testing

@testable import Skyros

/// The stored names of key paths, as they are found by decoding samples.
@Suite struct `An index declared by key paths` {
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

    @Test func `has the names of the coding keys`() throws {
        struct Swapped: Entity {
            enum CodingKeys: String, CodingKey {
                case id
                case name = "title"
                case title = "name"
                case length = "l"
            }
            var id: String
            var name: String
            var title: String
            var length: Int
        }
        #expect(try fields(\Swapped.name) == ["title"])
        #expect(try fields(\Swapped.title, \.length, \.id) == ["name", "l", "id"])
    }

    @Test func `has names for values of every kind`() throws {
        struct Point: Codable, Hashable, Sendable { var x = 0.0; var y: Float? }
        struct Everything: Entity {
            var id: UUID
            var bool: Bool
            var int8: Int8
            var int16: Int16
            var int32: Int32
            var int64: Int64
            var int128: Int128
            var uint: UInt
            var uint8: UInt8
            var uint16: UInt16
            var uint32: UInt32
            var uint64: UInt64
            var uint128: UInt128
            var float: Float
            var double: Double
            var date: Date
            var data: Data
            var url: URL
            var decimal: Decimal
            var point: Point
            var texts: [String]
            var set: Set<Int>
            var duration: Duration
            var range: Range<Int>
        }
        typealias E = Everything
        #expect(
            try fields(\E.id, \.bool, \.int8, \.int16, \.int32, \.int64, \.int128)
                == ["id", "bool", "int8", "int16", "int32", "int64", "int128"])
        #expect(
            try fields(\E.uint, \.uint8, \.uint16, \.uint32, \.uint64, \.uint128)
                == ["uint", "uint8", "uint16", "uint32", "uint64", "uint128"])
        #expect(
            try fields(\E.float, \.double, \.date, \.data, \.url, \.decimal)
                == ["float", "double", "date", "data", "url", "decimal"])
        #expect(
            try fields(\E.point, \.texts, \.set, \.duration) == [
                "point", "texts", "set", "duration",
            ])
    }

    @Test func `tells fields of one type apart`() throws {
        struct Flight: Entity {
            enum Port: String, Codable, Sendable { case athens = "ATH", skyros = "SKU" }
            enum Seat: Codable, Sendable { case window, aisle }
            enum Level: Int, Codable, Sendable { case low = 30, high = 60, top = 90 }
            enum Gate: String, Codable, Sendable, CaseIterable { case a, b }
            var id: Int
            var from: Port
            var to: Port
            var via: Port?
            var outward: Seat
            var back: Seat
            var level: Level
            var ceiling: Level
            var gate: Gate
            var otherGate: Gate?
            var start: Date?
            var end: Date?
        }
        typealias E = Flight
        #expect(try fields(\E.from, \.to, \.via) == ["from", "to", "via"])
        #expect(try fields(\E.outward, \.back) == ["outward", "back"])
        #expect(try fields(\E.level, \.ceiling) == ["level", "ceiling"])
        #expect(try fields(\E.gate, \.otherGate) == ["gate", "otherGate"])
        #expect(try fields(\E.start, \.end) == ["start", "end"])
    }

    @Test func `has names beside enums whose cases carry values`() throws {
        struct Bill: Entity {
            enum Payment: Codable, Sendable {
                case card(String, last: Int)
                case cash
            }
            enum Tip: Codable, Sendable { case part(Double), sum(Int) }
            var id: Int
            var payment: Payment
            var tip: Tip
            var otherTip: Tip?
        }
        #expect(try fields(\Bill.id) == ["id"])
        #expect(try fields(\Bill.payment) == ["payment"])
        #expect(try fields(\Bill.tip, \.otherTip) == ["tip", "otherTip"])
    }

    @Test func `has names for a class and for a generic type`() throws {
        final class Page: Entity {
            let id: Int
            let text: String
            let title: String?

            init(id: Int, text: String, title: String?) {
                self.id = id
                self.text = text
                self.title = title
            }
        }
        struct Box<Content: Codable & Sendable>: Entity {
            var id: Int
            var content: Content
            var other: Content
        }
        #expect(try fields(\Page.text, \.title) == ["text", "title"])
        #expect(try fields(\Box<String>.content, \.other) == ["content", "other"])
        #expect(try fields(\Box<Int?>.content, \.other) == ["content", "other"])
    }

    @Test func `has the names that hand-written coding uses`() throws {
        struct ByHand: Entity {
            enum CodingKeys: CodingKey { case id, note, rank, old }
            var id: Int
            var note: String?
            var rank: Int?

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                note = try container.decode(String?.self, forKey: .note)
                rank = try container.decodeIfPresent(Int.self, forKey: .rank)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(note, forKey: .note)
                try container.encode(rank, forKey: .rank)
            }
        }
        #expect(try fields(\ByHand.id, \.note, \.rank) == ["id", "note", "rank"])
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

    @Test func `is refused for a type that accepts no samples`() throws {
        struct Refusal: Error {}
        struct Strict: Entity {
            enum CodingKeys: CodingKey { case id, code }
            var id: Int
            var code: String

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                code = try container.decode(String.self, forKey: .code)
                if code.count != 5 { throw Refusal() }
            }
        }
        try expectRefusal(of: \Strict.code)
        try expectRefusal(of: \Strict.id)
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

    @Test func `is refused without a field, with a field twice, or with too few names`() {
        #expect(throws: StoreError(.invalidSchema, "")) { try Index<Note>.on().definition() }
        #expect(throws: StoreError(.invalidSchema, "")) {
            try Index<Note>.on(\.text, \.id, \.text).definition()
        }
        #expect(throws: StoreError(.invalidSchema, "")) {
            try Index<Note>.unique(\.text, \.id, fields: ["text", "text"]).definition()
        }
        #expect(throws: StoreError(.invalidSchema, "")) {
            try Index<Note>.on(\.text, \.id, fields: ["text"]).definition()
        }
    }
}

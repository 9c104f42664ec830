import Foundation
import SkyrosDisk
import Testing

@testable import Skyros

/// Knows how often it was decoded.
private struct Undeclared: Entity {
    static let decodings = Locked(0)
    var id: Int

    init(from decoder: any Decoder) throws {
        Self.decodings.withLock { $0 += 1 }
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    }
}

@Suite struct `An entity without indexes` {
    @Test func `is not decoded`() throws {
        _ = try Schema([Undeclared.self])
        #expect(Undeclared.decodings.withLock { $0 } == 0)
    }
}

/// The stored names of key paths, by their descriptions.
@Suite struct `An index declared by key paths` {
    private func fields<each V: Encodable & Sendable, E: Entity>(
        _ paths: repeat FieldPath<E, each V>
    ) throws -> [String] {
        try Index<E>.on(repeat each paths).definition().fields
    }

    @Test func `has the names of the properties, or those that are given`() throws {
        struct Renamed: Entity {
            enum CodingKeys: String, CodingKey {
                case id
                case name = "title"
                case length = "l"
            }
            var id: String
            private var name: String
            var length: Int

            static func fields(of index: Index<Renamed>) throws -> [String] {
                try index.definition().fields
            }
            static let plain = Index<Renamed>.on(\.name, \.length)
            static let given = Index<Renamed>.on(\.name, \.length, fields: ["title", "l"])
            static let single = Index<Renamed>.unique(\.name, field: "title")
        }
        #expect(try Renamed.fields(of: Renamed.plain) == ["name", "length"])
        #expect(try Renamed.fields(of: Renamed.given) == ["title", "l"])
        #expect(try Renamed.fields(of: Renamed.single) == ["title"])
        #expect(Renamed.single.isUnique)
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
}

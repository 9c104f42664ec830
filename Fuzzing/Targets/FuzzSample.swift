import Foundation

@testable import Skyros

/// An entity with a field of every kind.
struct FuzzSample: Entity, Equatable {
    enum Level: String, Codable { case low, high }

    struct Part: Codable, Equatable {
        var name: String
        var weight: Float?
    }

    var id: Int
    var text = ""
    var small: Int8 = 0
    var large: UInt64 = 0
    var huge: Int128 = 0
    var ratio = 0.5
    var isOpen = false
    var data = Data()
    var uuid: UUID?
    var date: Date?
    var url: URL?
    var price: Decimal?
    var level: Level?
    var parts: [Part] = []
    var names: [String: Int] = [:]
    var counts: [Int: Bool] = [:]
    var tags: Set<String> = []

    static let indexes: [Index<FuzzSample>] = [
        .on(\.text), .on(\.ratio, \.small), .unique(\.large),
    ]

    /// A schema of this type; cached, as creating one takes longer than most inputs.
    static let schema = Result { try Schema([FuzzSample.self]) }

    /// A record with all fields filled.
    static func filled(_ id: Int) -> FuzzSample {
        FuzzSample(
            id: id, text: "zwölf", small: -7, large: UInt64(id), huge: 1 << 100, ratio: 0.1,
            isOpen: true, data: Data([1, 2, 3]),
            uuid: UUID(
                uuid: (
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
                )),
            date: Date(timeIntervalSinceReferenceDate: 12.5), url: URL(string: "https://a.b/c"),
            price: Decimal(string: "12.50"), level: .high,
            parts: [Part(name: "a", weight: 1.5), Part(name: "b", weight: nil)],
            names: ["one": 1, "two": 2], counts: [3: true, -1: false], tags: ["x", "y"])
    }
}

/// A recursive type.
indirect enum FuzzTree: Codable, Equatable {
    case leaf(Int)
    case branch([FuzzTree])

    init(from decoder: any Decoder) throws {
        if let number = try? decoder.singleValueContainer().decode(Int.self) {
            self = .leaf(number)
        } else {
            var container = try decoder.unkeyedContainer()
            var parts: [FuzzTree] = []
            while !container.isAtEnd { parts.append(try container.decode(FuzzTree.self)) }
            self = .branch(parts)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .leaf(let number):
            var container = encoder.singleValueContainer()
            try container.encode(number)
        case .branch(let parts):
            var container = encoder.unkeyedContainer()
            for part in parts { try container.encode(part) }
        }
    }
}

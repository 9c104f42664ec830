import Foundation
import Skyros
import TestSupport

/// Whether the entity has indexes.
protocol Indexing: Sendable {
    static var isOn: Bool { get }
}

enum Indexed: Indexing {
    static let isOn = true
}

enum Unindexed: Indexing {
    static let isOn = false
}

/// A record with fields of the kinds that indexes and filters tell apart.
struct Item<I: Indexing>: Entity, Equatable {
    enum Kind: String, Codable, CaseIterable, Sendable {
        case small, middle, large
    }

    var id: UUID
    var group: String
    var rank: Int
    var weight: Double
    var note: String?
    var score: Double?
    var kind: Kind
    var isOpen: Bool
    var changed: Date

    static var indexes: [Index<Self>] {
        I.isOn
            ? [
                .on(\.group), .on(\.group, \.rank), .on(\.weight), .on(\.note), .on(\.score),
                .on(\.kind, \.changed), .on(\.isOpen, \.note, \.rank),
            ] : []
    }
}

extension Item {
    /// Few different values, so that filters and sorts meet many that are equal.
    static func random(_ random: inout RandomSource) -> Item {
        Item(
            id: random.uuid(), group: random.group(), rank: random.below(7) - 3,
            weight: [-Double.infinity, -1.5, -0.0, 0.0, 0.25, 3, .infinity][random.below(7)],
            note: random.below(3) == 0 ? nil : random.group(),
            score: random.below(2) == 0 ? nil : Double(random.below(5)),
            kind: Kind.allCases[random.below(3)], isOpen: random.below(2) == 0,
            changed: Date(timeIntervalSinceReferenceDate: Double(random.below(6)) * 0.5))
    }
}

extension RandomSource {
    /// Texts that are equal in Swift although their bytes differ are among them.
    mutating func group() -> String {
        ["", "a", "b", "\u{E9}", "e\u{301}", "zz", "Z", "日本"][below(8)]
    }
}

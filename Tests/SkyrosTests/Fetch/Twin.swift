import Foundation
import Skyros
import TestSupport

/// A record with fields of which indexes and Swift could have different opinions.
struct Twin<I: Indexing>: Entity {
    enum Kind: String, Codable, CaseIterable, Sendable {
        case small, middle, large
    }

    var id: Int
    var text: String
    var note: String?
    var date: Date
    var due: Date?
    var weight: Double
    var score: Float?
    var rank: Int
    var level: UInt8?
    var isOpen: Bool
    var kind: Kind
    var tag: UUID

    static var entityName: String { "Twin" }
    static var indexes: [Index<Self>] {
        I.isOn
            ? [
                .on(\.text), .on(\.note), .on(\.date), .on(\.due), .on(\.weight), .on(\.score),
                .on(\.rank), .on(\.level, \.text), .on(\.isOpen, \.date), .on(\.kind, \.weight),
                .on(\.tag),
            ] : []
    }
}

/// Values of which there are few, so that comparisons meet equal ones.
struct TwinValues {
    var random: RandomSource
    /// Whether there are texts that are not in normal form C, and dates that are NaN.
    var isIrregular: Bool

    mutating func text() -> String {
        let regular = ["", "a", "b", "e", "f", "\u{E9}", "\u{E9}b", "zz", "日本", "\u{1F600}", "e\0"]
        let others = [
            "e\u{301}", "e\u{301}b", "\u{212B}", "A\u{30A}", "\u{1100}\u{1161}", "K\u{323}\u{307}",
            "\u{AC00}\u{11A8}", "\u{AC01}", "\u{16121}\u{16128}", "\u{30C}\u{F75}",
        ]
        return isIrregular && random.below(3) == 0
            ? others[random.below(others.count)] : regular[random.below(regular.count)]
    }

    mutating func date() -> Date {
        if isIrregular, random.below(6) == 0 { return Date(timeIntervalSinceReferenceDate: .nan) }
        let seconds = [-.infinity, -1e300, -1, -0.0, 0, 0.5, 1, 7e8, .infinity]
        return Date(timeIntervalSinceReferenceDate: seconds[random.below(seconds.count)])
    }

    mutating func number() -> Double {
        [-.infinity, -1.5, -1, -0.0, 0, 0.1, 1, 2, 0x1p53, .infinity, .nan][random.below(11)]
    }

    mutating func uuid() -> UUID {
        let (first, last) = (UInt8(random.below(3)) << 7, UInt8(random.below(2)))
        return UUID(uuid: (first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last))
    }

    mutating func perhaps<T>(_ make: (inout TwinValues) -> T) -> T? {
        random.below(4) == 0 ? nil : make(&self)
    }

    mutating func twin<I>(_ type: Twin<I>.Type, id: Int) -> Twin<I> {
        Twin(
            id: id, text: text(), note: perhaps { $0.text() }, date: date(),
            due: perhaps { $0.date() }, weight: number(),
            score: perhaps { Float($0.number()) }, rank: random.below(5) - 2,
            level: perhaps { UInt8($0.random.below(3)) }, isOpen: random.below(2) == 0,
            kind: Twin<I>.Kind.allCases[random.below(3)], tag: uuid())
    }
}

import Foundation
import Skyros

/// Which indexes the parcels of a store have.
protocol Shelving: Sendable {
    static func indexes() -> [Index<Parcel<Self>>]
}

/// A field of every kind that an index understands, and of some that it does not.
struct Parcel<Shelf: Shelving>: Entity, Equatable {
    enum Size: String, Codable, Sendable, CaseIterable { case small, medium, large }
    enum Speed: Int, Codable, Sendable { case slow = 10, fast = 2 }
    enum Handling: Codable, Sendable { case normal, fragile }

    static var entityName: String { "Parcel" }
    static var indexes: [Index<Self>] { Shelf.indexes() }

    var id: Int
    var city: String
    var street: String?
    var weight: Double
    var price: Double?
    var depth: Float
    var count: Int
    var stamps: Int?
    var serial: UInt64
    var sent: Date
    var received: Date?
    var sender: UUID
    var isPaid: Bool
    var isInsured: Bool?
    var size: Size
    var speed: Speed?
    var handling: Handling
}

/// No index at all.
enum Heap: Shelving {
    static func indexes() -> [Index<Parcel<Heap>>] { [] }
}

/// An index for every field.
enum Drawers: Shelving {
    static func indexes() -> [Index<Parcel<Drawers>>] {
        [
            .on(\.city), .on(\.street), .on(\.weight), .on(\.price), .on(\.depth), .on(\.count),
            .on(\.stamps), .on(\.serial), .on(\.sent), .on(\.received), .on(\.sender),
            .on(\.isPaid), .on(\.isInsured), .on(\.size),
            .on(\.speed, fields: ["speed"]), .on(\.handling, fields: ["handling"]),
        ]
    }
}

/// Indexes over several fields, some of which begin alike.
enum Cabinets: Shelving {
    static func indexes() -> [Index<Parcel<Cabinets>>] {
        [
            .on(\.city, \.count), .on(\.city, \.street, \.price), .on(\.count, \.city),
            .on(\.isPaid, \.size, \.weight), .on(\.size, \.sent), .on(\.street, \.stamps),
            .on(\.stamps, \.weight, \.city), .on(\.isInsured, \.received, \.serial),
            .on(\.city),
        ]
    }
}

extension RandomSource {
    /// A parcel with values of which there are few, so that many are equal.
    mutating func parcel<Shelf: Shelving>(_ id: Int) -> Parcel<Shelf> {
        Parcel(
            id: id, city: city(), street: below(3) == 0 ? nil : city(),
            weight: below(12) == 0 ? .nan : weight(),
            price: below(3) == 0 ? nil : weight(), depth: Float(below(4)) / 3,
            count: below(9) - 4, stamps: below(4) == 0 ? nil : below(5),
            serial: [0, 1, .max, .max - 1][below(4)], sent: date(),
            received: below(2) == 0 ? nil : date(), sender: sender(), isPaid: below(2) == 0,
            isInsured: [nil, true, false][below(3)], size: element(of: Parcel.Size.allCases),
            speed: [nil, .slow, .fast][below(3)], handling: below(2) == 0 ? .normal : .fragile)
    }

    mutating func element<C: RandomAccessCollection>(of all: C) -> C.Element
    where C.Index == Int {
        all[all.startIndex + below(all.count)]
    }

    /// Texts with awkward bytes, two of them equal though composed differently.
    mutating func city() -> String {
        element(of: ["", "Athens", "Ath", "Z\u{FC}rich", "Zu\u{308}rich", "a\0", "a", "a\u{1}b"])
    }

    /// Numbers with awkward bits, two of them equal though their signs differ.
    mutating func weight() -> Double {
        element(of: [
            -.infinity, -2.5, -0.0, 0.0, .leastNonzeroMagnitude, 1, 2.5, 0x1p53, .infinity,
        ])
    }

    mutating func date() -> Date {
        Date(timeIntervalSinceReferenceDate: Double(below(8) - 4) * 0.25)
    }

    mutating func sender() -> UUID {
        let last = UInt8(below(5)) &* 60
        return UUID(uuid: (last, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last))
    }
}

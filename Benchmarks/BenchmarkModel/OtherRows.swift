public import Foundation
public import Skyros

/// A row of two numbers.
public struct SmallRow: Entity {
    public let id: Int
    public var value: Int

    public init(id: Int) {
        self.id = id
        value = id &* 7
    }
}

/// A row of about 2 KB of text.
public struct WideRow: Entity {
    public let id: UUID
    public var text: String

    public init(_ row: Int) {
        id = Generator.id(row)
        text = String(repeating: Generator.order(row).customer + " ", count: 140)
    }
}

/// An order with three indexes.
public struct IndexedOrder: Entity {
    public let id: UUID
    public var customer: String
    public var restaurant: String
    public var totalCents: Int
    public var createdAt: Double

    public static let indexes: [Index<IndexedOrder>] = [
        .on(\.restaurant, \.createdAt), .on(\.customer), .on(\.totalCents),
    ]

    public init(_ row: Int) {
        let order = Generator.order(row)
        id = order.id
        customer = order.customer
        restaurant = order.restaurant
        totalCents = order.totalCents
        createdAt = order.createdAt
    }
}

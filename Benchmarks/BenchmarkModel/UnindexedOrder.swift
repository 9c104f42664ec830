public import Foundation
public import Skyros

/// An order without an index, to tell what the index costs.
public struct UnindexedOrder: Entity {
    public var order: Order

    public var id: UUID { order.id }

    public init(_ order: Order) {
        self.order = order
    }

    public init(from decoder: any Decoder) throws {
        order = try Order(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try order.encode(to: encoder)
    }
}

#if !SKYROS_COMPARE
    public import Foundation
    public import Skyros

    /// The order of a later release: two fields are new, and no index needs them.
    public struct TippedOrder: Entity {
        public let id: UUID
        public var customer: String
        public var restaurant: String
        public var status: Order.Status
        public var totalCents: Int
        public var createdAt: Double
        public var items: Int
        public var comment: String?
        public var rating: Double?
        public var tip: Int

        public static let entityName = "Order"
        public static let evolution: Evolution<TippedOrder> = [
            .version(2) { .rename("note", to: "comment").add("tip", 0) }
        ]
        public static let indexes: [Index<TippedOrder>] = [
            .on(\.restaurant, \.status, \.createdAt)
        ]
    }

    /// The order of a later release: the index needs a field that has another name now.
    public struct PlacedOrder: Entity {
        public let id: UUID
        public var customer: String
        public var place: String
        public var status: Order.Status
        public var totalCents: Int
        public var createdAt: Double
        public var items: Int
        public var note: String?
        public var rating: Double?

        public static let entityName = "Order"
        public static let evolution: Evolution<PlacedOrder> = [
            .version(2) { .rename("restaurant", to: "place") }
        ]
        public static let indexes: [Index<PlacedOrder>] = [.on(\.place, \.status, \.createdAt)]
    }
#endif

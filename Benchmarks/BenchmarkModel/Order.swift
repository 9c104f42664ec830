public import Foundation
public import Skyros

/// What the benchmark stores: a row of a delivery service, of the size and the kinds of fields
/// that apps have.
public struct Order: Entity, Equatable {
    /// How far an order has come.
    public enum Status: String, Codable, CaseIterable, Sendable {
        case placed, accepted, cooking, delivering, done
    }

    public let id: UUID
    public var customer: String
    public var restaurant: String
    public var status: Status
    public var totalCents: Int
    /// Seconds since 1970.
    public var createdAt: Double
    public var items: Int
    public var note: String?
    public var rating: Double?

    /// The index that answers "the newest orders of a restaurant in a status".
    public static let indexes: [Index<Order>] = [.on(\.restaurant, \.status, \.createdAt)]

    public init(
        id: UUID, customer: String, restaurant: String, status: Status, totalCents: Int,
        createdAt: Double, items: Int, note: String?, rating: Double?
    ) {
        self.id = id
        self.customer = customer
        self.restaurant = restaurant
        self.status = status
        self.totalCents = totalCents
        self.createdAt = createdAt
        self.items = items
        self.note = note
        self.rating = rating
    }
}

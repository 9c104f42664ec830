import BenchmarkModel
import Foundation
import Skyros

/// The library, as an app uses it.
final class SkyrosPeer: Peer {
    let store: Store

    init(at directory: URL, options: Store.Options) throws {
        store = try Store(at: directory, entities: Order.self, options: options)
    }

    convenience init(at directory: URL, _ peerOptions: PeerOptions = PeerOptions()) throws {
        var options = Store.Options()
        options.durability = peerOptions.isDurable ? .durable : .buffered
        if !peerOptions.checkpoints { options.openingTarget = .milliseconds(Self.never) }
        try self.init(at: directory, options: options)
    }

    /// A time to open that no tail of a benchmark exceeds: there is no checkpoint before `close`.
    static let never = 1_000_000_000

    func count() throws -> Int {
        try store.count(Order.self)
    }

    func insert(_ order: Order) throws {
        try store.write(by: Audit.actor, because: Audit.reason) { tx in try tx.insert(order) }
    }

    func insert(_ orders: [Order]) throws {
        try store.write(by: Audit.actor, because: Audit.reason) { tx in
            for order in orders { try tx.insert(order) }
        }
    }

    func setStatus(_ status: Order.Status, of id: UUID) throws {
        try store.write(by: Audit.actor, because: Audit.reason) { tx in
            try tx.update(Order.self, id) { $0.status = status }
        }
    }

    func order(_ id: UUID) throws -> Order? {
        try store.get(Order.self, id)
    }

    func totalCents(_ id: UUID) throws -> Int? {
        try store.withValue(of: Order.self, id) { $0.totalCents }
    }

    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order] {
        try store.all(
            Order.self, where: \.restaurant == restaurant && \.status == status,
            sortedBy: [.descending(\.createdAt)], limit: limit)
    }

    func reader() throws -> any Peer { self }

    func close() throws {
        try store.close()
    }
}

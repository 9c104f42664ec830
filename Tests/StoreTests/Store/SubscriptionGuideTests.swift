import Foundation
import Skyros
import TestSupport
import Testing

private struct Order: Entity {
    var id: Int
}

private actor Mailer {
    private(set) var confirmed: [Int] = []
    func confirm(_ order: Order) throws { confirmed.append(order.id) }
}

@Suite struct `The guide to subscriptions` {
    private func insert(_ id: Int, in store: Store) throws {
        try store.write(durability: .durable) { try $0.insert(Order(id: id)) }
    }

    @Test func `sends mail`() async throws {
        let directory = try TemporaryDirectory()
        let mailer = Mailer()
        let store = try Store(at: directory.store, entities: Order.self)
        try insert(1, in: store)

        try store.setPosition(ofSubscription: "mail", to: store.sequence)
        let mail = try store.subscribe("mail") { event in
            for change in try event.changes(of: Order.self) where change.kind == .inserted {
                if let order = try change.after { try await mailer.confirm(order) }
            }
        }
        try insert(2, in: store)
        try await mail.waitUntilHandled(2)
        #expect(await mailer.confirmed == [2])

        do {
            _ = try store.subscribe("labels") { _ in }
        } catch let error as StoreError where error.code == .positionMissing {
            // It is new, or its position was lost.
        }
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

private struct Customer: Entity {
    var id: Int
}

private struct Order: Entity {
    var id: Int
    var customer: Customer.ID
    var cents: Int
}

private struct Sales: Projection {
    var cents: [Customer.ID: Int] = [:]

    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Order.self) {
            if let old = try change.before { cents[old.customer, default: 0] -= old.cents }
            if let new = try change.after { cents[new.customer, default: 0] += new.cents }
        }
    }
}

private struct NewSales: Projection {
    static let projectionName = "Sales"
    static let projectionVersion = 2
    var cents: [Customer.ID: Int] = [:]

    init() {}

    init(floor: Snapshot) throws {
        for order in try floor.all(Order.self) { cents[order.customer, default: 0] += order.cents }
    }

    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Order.self) {
            if let old = try change.before { cents[old.customer, default: 0] -= old.cents }
            if let new = try change.after { cents[new.customer, default: 0] += new.cents }
        }
    }
}

@Suite struct `The guide to projections` {
    private let directory: TemporaryDirectory
    private var url: URL { directory.store }
    private let ada = Customer(id: 1)

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func insert(_ order: Order, in store: Store) throws {
        try store.write { try $0.insert(order) }
    }

    @Test func `keeps totals beside the records`() async throws {
        var options = Store.Options()
        options.projections = [Sales.self]
        let store = try Store(at: url, entities: Customer.self, Order.self, options: options)
        let sales = try store.projection(Sales.self)
        #expect(sales.cents == [:])

        let yesterday = Date.now
        try insert(Order(id: 1, customer: 1, cents: 500), in: store)
        let state = store.snapshot
        let total = try state.projection(Sales.self).cents[ada.id, default: 0]
        let orders = try state.all(Order.self, where: \.customer == ada.id)
        #expect(total == orders.reduce(0) { $0 + $1.cents })

        try insert(Order(id: 2, customer: 1, cents: 200), in: store)
        for try await sales in store.live(Sales.self) {
            print(sales.cents[ada.id, default: 0])
            if sales.cents[ada.id] == 700 { break }
        }
        #expect(store.statistics.projections.first?.eventCount == 2)
        let rebuilt = try await store.projection(whenReady: Sales.self)
        #expect(rebuilt.cents == [1: 700])

        let then = try store.projection(Sales.self, asOf: .date(yesterday))
        #expect(then.cents == [:])
        try store.close()
        let archive = try Archive(at: url, entities: [Order.self])
        #expect(try archive.projection(Sales.self).cents == [1: 700])
    }

    @Test func `builds another version`() async throws {
        var options = Store.Options()
        options.projections = [Sales.self]
        let first = try Store(at: url, entities: Customer.self, Order.self, options: options)
        try insert(Order(id: 1, customer: 1, cents: 500), in: first)
        try first.close()
        options.projections = [NewSales.self]
        let store = try Store(at: url, entities: Customer.self, Order.self, options: options)
        let rebuilt = try await store.projection(whenReady: NewSales.self)
        #expect(rebuilt.cents == [1: 500])
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

// The code of the articles in Sources/Skyros/Skyros.docc; the last test compares the two.

private struct Customer: Entity {
    var id = UUID()
    var name: String
    static let indexes: [Index<Customer>] = [.unique(\.name)]
}

private struct Order: Entity {
    enum Status: String, Codable { case placed, accepted, done }

    var id = UUID()
    var customer: UUID
    var status = Status.placed
    var totalCents: Int
    var note: String?
    var createdAt = Date(timeIntervalSince1970: 1_700_000_000)
    static let indexes: [Index<Order>] = [.on(\.customer, \.createdAt), .on(\.status)]
}

private struct Dish: Entity {
    var id = UUID()
    var name: String
    var price: Int
    var note: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UUID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        price = try container.decodeIfPresent(Int.self, forKey: .price) ?? 0
        note = try container.decodeIfPresent(String.self, forKey: .note)
    }
}

private struct Seat: Entity {
    var id: Int
    var places: Int
    var isOutside: Bool

    static let prototype = Seat(id: 0, places: 4, isOutside: false)
}

private struct Guest: Entity {
    var id: Int
    var fullName: String
    var phone: String
    var newsletter: Bool
    var tier: String

    static let evolution: Evolution<Guest> = [
        .version(2) {
            .rename("name", to: "fullName")
                .retype("phone", .integerToText)
                .add("newsletter", false)
                .drop("fax")
        },
        .version(3) { record in record["tier"] = "basic" },
    ]
}

private struct NegativeTotal: Error {}

private struct PlaceOrder: DomainCommand {
    var customer: UUID
    var items: [String]
}

private func markAllDone(_ orders: some RecordStore) throws {
    try orders.write { tx in
        for order in try tx.all(Order.self) {
            try tx.update(Order.self, order.id) { $0.status = .done }
        }
    }
}

@Suite struct `The guides` {
    private let directory: TemporaryDirectory
    private let store: Store
    private let customer = Customer(name: "Ada")
    private let order: Order

    init() throws {
        directory = try TemporaryDirectory()
        let url = directory.store
        let store = try Store(at: url, entities: Customer.self, Order.self)
        self.store = store
        let customer = customer
        order = Order(customer: customer.id, totalCents: 1_200)
        let order = order
        try store.write(by: "ada", because: "first order") { tx in
            try tx.insert(customer)
            try tx.insert(order)
        }
    }

    @Test func `open a store and write`() throws {
        let repaired = store.recovery.isComplete ? "nothing" : "\(store.recovery)"
        #expect(repaired == "nothing")

        try store.write(by: "bob", because: "called back") { tx in
            try tx.update(Order.self, order.id) { $0.status = .accepted }
        }
        let command = PlaceOrder(customer: customer.id, items: ["pizza"])
        let placed = try store.write(by: "ada", intent: command) { tx in
            let placed = Order(customer: command.customer, totalCents: 900)
            try tx.insert(placed)
            return placed
        }
        #expect(try store.exists(Order.self, placed.id))

        do {
            try store.write { try $0.insert(order) }
        } catch let error as StoreError where error.code == .duplicateID {
            print(error)
        }

        let receipt = try store.writeWithReceipt { try $0.delete(placed) }.receipt
        try receipt.waitUntilDurable()
        #expect(receipt.sequence == 4)
    }

    @Test func `write once, however often it is asked for`() throws {
        let request = (id: "request 7", order: PlaceOrder(customer: customer.id, items: ["tea"]))
        let once = try store.write(once: request.id, intent: request.order) { tx in
            try tx.insert(Order(customer: request.order.customer, totalCents: 300))
        }
        let again = try store.write(once: request.id, intent: request.order) { _ in }
        print(once.sequence == again.sequence, again.isRepeated)  // true true
        #expect(once.sequence == again.sequence && again.isRepeated && !once.isRepeated)
    }

    @Test func `write what was decided before, and what happened before`() throws {
        let seen = store.snapshot
        let unpaid = FetchRequest<Order>(where: \.customer == customer.id && \.status != .done)
        if try seen.count(unpaid) < 3 {
            try store.write(expecting: .unchanged(unpaid, since: seen)) { tx in
                try tx.insert(Order(customer: customer.id, totalCents: 900))
            }
        }
        #expect(try store.count(unpaid) == 2)

        var order = order
        order.note = "paper"
        let metadata = Metadata(occurredAt: order.createdAt)
        try store.write(by: "import", metadata: metadata) { try $0.upsert(order) }
        #expect(try store.event(3)?.metadata.occurredAt?.date == order.createdAt)
    }

    @Test func `write in tasks and in the background`() async throws {
        let order = order
        try await store.write(by: "bob", durability: .durable) { tx in
            try tx.update(Order.self, order.id) { $0.status = .done }
        }
        store.writeAsync { tx in
            try tx.update(Order.self, order.id) { $0.note = "thanks" }
        }
        try await Store.withMetadata(actor: "import", correlation: "job 7") {
            try await store.write { try $0.upsert(order) }
        }
        #expect(store.sequence == 4)
    }

    @Test func `read records`() throws {
        let same = try store[Order.self, order.id]
        #expect(same?.totalCents == 1_200)

        let open = try store.all(
            Order.self, where: \.customer == customer.id && \.status != .done,
            sortedBy: [.descending(\.createdAt)], limit: 20)
        let large = try store.count(Order.self, where: #Predicate { $0.totalCents > 1_000 })
        let first = try store.first(Order.self, sortedBy: \.createdAt)
        #expect(open.count == 1 && large == 1 && first?.id == order.id)

        let recent = try store.all(
            Order.self,
            where: .in(\.status, [.placed, .accepted]) || .between(\.totalCents, 500...1_500))
        let named = try store.all(Customer.self, where: .hasPrefix(\.name, "A"))
        let noted = try store.all(
            Order.self, where: \.status == .placed && .test { $0.note?.isEmpty == false })
        #expect(recent.count == 1 && named.count == 1 && noted.isEmpty)

        print(try store.explain(FetchRequest<Order>(where: .in(\.status, [.placed, .done]))))

        try sumAndPage()

        let before = store.snapshot
        try store.write { try $0.deleteAll(Order.self) }
        #expect(try before.count(Order.self) == 1)
        #expect(try store.count(Order.self) == 0)

        let names = try store.snapshot.query("SELECT name FROM Customer")
        #expect(names.rows.count == 1)
    }

    private func sumAndPage() throws {
        let revenue = try store.sum(Order.self, of: \.totalCents, where: \.status != .done)
        let mean = try store.average(Order.self, of: \.totalCents)
        let oldest = try store.min(Order.self, of: \.createdAt)
        let byStatus = try store.count(Order.self, groupedBy: \.status)
        #expect(revenue == 1_200 && mean == 1_200 && oldest == order.createdAt)
        #expect(byStatus == [.placed: 1])

        let request = FetchRequest<Order>(sortedBy: [.descending(\.createdAt)], limit: 50)
        var page = try store.page(request)
        while let next = page.next {
            page = try store.page(request, after: next)
        }
        #expect(page.items.count == 1)

        let same = try store.get(Order.self, [order.id])
        let areAllThere = try store.exists(Order.self, [order.id, UUID()])
        let (current, missing) = try store.refresh([order])
        #expect(same[0]?.id == current[0].id && missing.isEmpty && !areAllThere)
    }

    @Test func `read records by names`() throws {
        let found = try store.records(
            "Order", where: RecordField("totalCents") > 1_000 && RecordField("note") == .null,
            sortedBy: [.ascending("status"), .descending("createdAt")], limit: 20)
        let status = try found.first?.value("status", as: String.self)
        #expect(status == "placed")

        try store.write(by: "ada") { tx in
            try tx.set(Order.self, order.id, ["note": "call first", "totalCents": 1_300])
        }
        let note = try store.value(of: "note", in: Order.self, order.id, as: String?.self)
        #expect(note == "call first")
    }

    @Test func `fork, edit and merge`() throws {
        let draft = store.fork(by: "alice")
        try draft.write { tx in
            try tx.update(Order.self, order.id) { $0.note = "no onions" }
        }
        let note = try draft.get(Order.self, order.id)?.note  // in the store it is as before
        try draft.merge(because: "order changed")
        #expect(note == "no onions" && store.sequence == 2)

        try markAllDone(draft)
        try store.write { tx in
            try tx.update(Order.self, order.id) { $0.status = .accepted }
        }
        do {
            try draft.merge(policy: .fail)
        } catch let error as StoreError where error.code == .mergeConflict {
            for conflict in error.conflicts { print(conflict) }
            try draft.merge(policy: .childWins)
        }
        #expect(try store.get(Order.self, order.id)?.status == .done)

        try draft.write { tx in try tx.update(Order.self, order.id) { $0.note = nil } }
        try store.write { try $0.delete(order) }
        try draft.merge(
            policy: .resolve { conflict in
                conflict.kind == .deletedByParent ? .parent : .child
            })
        #expect(try store.count(Order.self) == 0)
    }

    @Test func `write side by side`() throws {
        try store.writeConcurrently(by: "pricing") { tx in
            let orders = try tx.all(Order.self, where: \.customer == customer.id)
            let total = orders.reduce(0) { $0 + $1.totalCents }
            try tx.update(Customer.self, customer.id) { $0.name += " (\(total))" }
        }
        #expect(try store.get(Customer.self, customer.id)?.name == "Ada (1200)")
    }

    @Test func `change types`() throws {
        for misfit in store.recovery.unreadable { print(misfit.error) }
        let (orders, unreadable) = try store.allReadable(
            Order.self, sortedBy: [.descending(\.createdAt)])
        for misfit in unreadable {
            print(misfit.id, misfit.error.place.field ?? "-", misfit.record)
        }
        #expect(orders.count == 1 && unreadable.isEmpty)

        try store.write(by: "ada", because: "records of version 1") { tx in
            for misfit in try tx.unreadableRecords() where misfit.record.entity == "Order" {
                try tx.delete(Order.self, misfit.id.decode(as: UUID.self))
            }
        }
        for (entity, steps) in store.recovery.evolution { print(entity, steps) }
        #expect(store.recovery.evolution.isEmpty && Guest.evolution.version == 3)
        #expect(Seat.prototype.places == 4)
        let soup: NamedValues<FieldValue> = ["name": "Soup"]
        let id = try RecordID(encoding: UUID())
        let stored = try Record(entity: "Dish", id: id, fields: ["id": id.value, "name": "Soup"])
        #expect(try stored.decode(as: Dish.self).price == 0 && soup["name"] == stored["name"])
    }

    @MainActor @Test func `follow queries and changes`() async throws {
        let (store, customer, id) = (store, customer, order.id)
        let changes = store.changes(of: Order.self, on: .updates)
        let follower = Task {
            for try await event in changes {
                for change in event.changes {
                    let (before, after) = (try change.before?.status, try change.after?.status)
                    return [event.metadata.actor, before?.rawValue, after?.rawValue]
                }
            }
            return []
        }
        try store.writeSync(by: "bob") { tx in
            try tx.update(Order.self, id) { $0.status = .done }
        }
        #expect(try await follower.value == ["bob", "placed", "done"])

        for try await orders in store.live(
            Order.self, where: \.customer == customer.id, sortedBy: [.descending(\.createdAt)],
            limit: 20)
        {
            print(orders.map(\.status))
            if orders.first?.status == .done { break }
        }

        let recent = LiveResult(store.live(Order.self, sortedBy: \.createdAt, limit: 20))
        #expect(recent.values.count == 1)

        let machine = TimeMachine(store)
        let then = LiveResult(store.live(Order.self, sortedBy: \.createdAt, limit: 20).at(machine))
        try machine.step(-1)  // before the last event
        try await machine.move(to: .date(.now))
        #expect(machine.sequence == store.sequence && then.values.count == 1)

        let hook = store.willCommit { commit in
            for change in try commit.changes(of: Order.self) {
                if let cents = try change.after?.totalCents, cents < 0 { throw NegativeTotal() }
            }
        }
        #expect(throws: NegativeTotal.self) {
            try store.writeSync { tx in try tx.update(Order.self, id) { $0.totalCents = -1 } }
        }
        withExtendedLifetime(hook) {}
    }

    @Test func `make backups, and a store as of a moment`() throws {
        let (store, yesterday) = (store, Date())
        let copy = directory.url.appending(path: "Copy")
        let restored = directory.url.appending(path: "Restored")
        let report = try store.backup(to: copy)
        print(report.sequence, report.copiedBytes, report.keptBytes)
        try Archive(at: copy).backup(to: restored, asOf: .date(yesterday))
        #expect(try Archive(at: restored).sequence == store.sequence)
    }

    @Test func `show code that is compiled and run here`() throws {
        let articles = Repository.root.appending(path: "Sources/Skyros/Skyros.docc/Articles")
        let directory = URL(filePath: #filePath).deletingLastPathComponent()
        let tests = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix("GuideTests.swift") }
        let here = try tests.map {
            try String(contentsOf: directory.appending(path: $0), encoding: .utf8).words
        }.joined(separator: " ")
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: articles.path) {
            let text = try String(contentsOf: articles.appending(path: name), encoding: .utf8)
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                let code = block.components(separatedBy: "```")[0]
                #expect(here.contains(code.words), "\(name): \(code)")
                count += 1
            }
        }
        #expect(count > 10)
    }
}

extension String {
    /// The text with one space for each run of white space.
    fileprivate var words: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

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

private struct PlaceOrder: DomainCommand {
    var customer: UUID
    var items: [String]
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

        let before = store.snapshot
        try store.write { try $0.deleteAll(Order.self) }
        #expect(try before.count(Order.self) == 1)
        #expect(try store.count(Order.self) == 0)

        let names = try store.snapshot.query("SELECT name FROM Customer")
        #expect(names.rows.count == 1)
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

    @Test func `read the past`() async throws {
        let (store, order) = (store, order)
        try store.writeSync(by: "bob") { tx in
            try tx.update(Order.self, order.id) { $0.totalCents = 1_100 }
        }
        for entry in try store.history(of: Order.self, order.id) {
            print(entry.sequence, entry.time, entry.actor ?? "-", entry.changes)
        }
        let then = try store.snapshot(asOf: .sequence(1))
        #expect(try then[Order.self, order.id]?.totalCents == 1_200)

        let url = directory.store
        for damage in try Archive(at: url).info().scrub?.damages ?? [] {
            print(damage.file, damage.sequences, damage.message)
        }

        for try await event in store.events(1...2) {
            print(event.sequence, event.metadata.actor ?? "-", event.changes.count)
        }

        let follower = Task {
            for try await event in store.changes(after: 0) {
                if event.sequence == 2 { return event.metadata.actor }
            }
            return nil
        }
        #expect(try await follower.value == "bob")
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
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8).words
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

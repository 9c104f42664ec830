import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

// The code of the article MovingToSkyros; `GuideTests` compares the two.

private struct Customer: Entity, Equatable {
    var id = UUID()
    var name: String
}

private struct Board: Entity {
    var id: Int
}

private struct Card: Entity {
    var id: Int
    var board: Ref<Board>
    static let relations: [Relation<Card>] = [.to(\.board, onDelete: .cascade)]
}

private func rename(_ id: Customer.ID, to name: String, in data: any DataStore) throws {
    try data.transaction(by: "alice", because: "typing error") { tx in
        try tx.update(Customer.self, id) { $0.name = name }
    }
}

/// - Note: `@unchecked` because of `tables`, which the test uses from one thread.
private final class Tables: DataStore, @unchecked Sendable {
    private var tables: [String: [RecordID: Record]] = [:]
    private let lock = Locked(())

    func entityNames() -> [String] { Array(tables.keys) }
    func count(of entity: String) -> Int { tables[entity]?.count ?? 0 }
    func record(_ entity: String, _ id: RecordID) -> Record? { tables[entity]?[id] }
    func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        for record in (tables[entity] ?? [:]).values { try body(record) }
    }
    func flush() {}
    func close() {}

    func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        try lock.withLock { _ in
            for change in try block() {
                switch change {
                case .put(let record): tables[record.entity, default: [:]][record.id] = record
                case .delete(let entity, let id): tables[entity]?[id] = nil
                case .deleteAll(let entity): tables[entity] = nil
                }
            }
        }
    }
}

@Suite struct `The guide to moving` {
    private let customer = Customer(name: "Ad")

    @Test func `moves all records, or mirrors them`() throws {
        let old = Tables()
        try old.transaction { try $0.insert(customer) }
        try rename(customer.id, to: "Ada", in: old)
        let new = try Store(inMemory: Customer.self)
        let report = try migrate(from: old, to: new, by: "app 3.0")
        print("\(report.copiedCount) records were copied")
        #expect(try new.get(Customer.self, customer.id)?.name == "Ada")
        try old.transaction { try $0.insert(Customer(name: "Bob")) }

        let data = MirroredStore(primary: old, shadow: new) { difference in
            print(difference)
        }
        try data.synchronize(by: "app 3.0")
        try data.switchOver()
        #expect(data.primary as? Store === new)
        #expect(try new.count(Customer.self) == 2)
    }

    @Test func `writes records without their types`() throws {
        let store = try Store(inMemory: Customer.self)
        let id = customer.id
        let record = try Record(
            entity: "Customer", id: RecordID(id), fields: ["id": .uuid(id), "name": "Ada"])
        try store.write(by: "import") { tx in
            try tx.insert(record)
            try tx.update("Customer", RecordID(id)) { $0["name"] = "Ada L." }
            try tx.delete("Customer", RecordID(id))
        }
        #expect(try store.count(Customer.self) == 0)
    }

    @Test func `writes records without types, by the rules of the app`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.store
        let board = RecordID(1)
        let app = try Store(at: url, entities: Customer.self, Board.self, Card.self)
        try app.write { tx in
            try tx.insert(Board(id: 1))
            try tx.insert(Card(id: 1, board: Ref(1)))
        }
        try app.close()
        let customer = try Record(
            entity: "Customer", id: RecordID(customer.id),
            fields: ["id": .uuid(customer.id), "name": "Ada"])

        let store = try Store(untypedAt: url)
        try store.write(by: "support") { tx in
            try tx.upsert(customer)  // throws if another customer has a unique value of it
            try tx.delete("Board", board)  // deletes its cards, too, if their relation says so
        }
        #expect(store.snapshot.entities == ["Customer"])
    }
}

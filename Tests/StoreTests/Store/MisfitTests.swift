import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct OldOrder: Entity {
    static let entityName = "Order"
    var id: Int
    var total = "12"
    var note: String?
    var lines: [Line] = []
    var status = "gone"
    struct Line: Codable, Sendable { var price: Int? }
}

private struct Order: Entity {
    static let indexes: [Index<Order>] = [.on(\.id)]
    enum Status: String, Codable { case open, done }
    struct Line: Codable { var price: Int }
    var id: Int
    var total: Int
    var note: String
    var lines: [Line]
    var status: Status
}

/// Types that each stop at another field of an order.
private enum Readers {
    struct Missing: Entity {
        static let entityName = "Order"
        var id: Int
        var note: String
    }

    struct Kind: Entity {
        static let entityName = "Order"
        var id: Int
        var total: Int
    }

    struct Nested: Entity {
        static let entityName = "Order"
        var id: Int
        var lines: [Order.Line]
    }

    struct Value: Entity {
        static let entityName = "Order"
        var id: Int
        var status: Order.Status
    }

    struct Container: Entity {
        static let entityName = "Order"
        var id: Int
        var lines: [String: Int]
    }

    struct Refusing: Entity {
        static let entityName = "Order"
        struct Refusal: Error {}
        var id: Int

        init(from decoder: any Decoder) throws { throw Refusal() }
    }
}

/// What an error says, and how other records are read beside it.
@Suite struct `A record that does not fit its type` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: OldOrder.self)
        try store.write { tx in
            try tx.insert(OldOrder(id: 42, lines: [.init(price: 1), .init(price: nil)]))
        }
        try store.close()
    }

    /// Opening would refuse records that no type reads.
    private var options: Store.Options {
        var options = Store.Options()
        options.onSchemaChange = .report
        return options
    }

    private func message<E: Entity>(_ type: E.Type, field: String?) throws -> String {
        let store = try Store(at: directory.store, entities: E.self, options: options)
        defer { try? store.close() }
        let error = try #require(throws: StoreError.self) { try store.all(E.self) }
        #expect(error.code == .notDecodable && error.place.field == field)
        #expect(error.place.entity == "Order" && error.place.ids == [RecordID(42)])
        let start = "the record 42 of \"Order\" does not fit the type \(E.self): it "
        #expect(error.message.hasPrefix(start))
        return String(error.message.dropFirst(start.count))
    }

    @Test func `is named with its field, what is stored, and a line that helps (F68)`() throws {
        #expect(
            try message(Readers.Missing.self, field: "note")
                == "has no field \"note\". To read it, make the property optional, or give it a "
                + "value in init(from:): note = try container.decodeIfPresent(String.self, "
                + "forKey: .note) ?? …; a default in its declaration is not used")
        #expect(
            try message(Readers.Kind.self, field: "total")
                == "has a text in the field \"total\", which is read as Int. To read it, give the "
                + "property the stored type, or convert it in init(from:): "
                + "total = (try? container.decode(Int.self, forKey: .total)) ?? …")
        #expect(
            try message(Readers.Nested.self, field: "lines[1].price")
                .hasPrefix("has no field \"lines[1].price\". To read it, make the property"))
        #expect(
            try message(Readers.Value.self, field: "status")
                .hasPrefix("has a text in the field \"status\" that its type does not accept. "))
        #expect(
            try message(Readers.Container.self, field: "lines")
                .hasPrefix("has an array in the field \"lines\", which is read as a value with"))
        #expect(
            try message(Readers.Refusing.self, field: nil)
                == "was refused by init(from:). To read it, let init(from:) accept it, or correct "
                + "the record")
    }

    private struct Mixed: Entity {
        static let entityName = "Mixed"
        static let indexes: [Index<Mixed>] = [.on(\.group)]
        var id: Int
        var group: Int
        var text: String
    }

    private struct MixedBefore: Entity {
        static let entityName = "Mixed"
        var id: Int
        var group: Int
        var text: String?
    }

    /// Of 100 records, those whose ids divide by ten do not fit.
    private func mixed() throws -> Store {
        let url = directory.url.appending(path: UUID().uuidString)
        let before = try Store(at: url, entities: MixedBefore.self)
        try before.write { tx in
            try tx.insert(
                (1...100).map { id in
                    MixedBefore(id: id, group: id % 4, text: id % 10 == 0 ? nil : "t\(id % 3)")
                })
        }
        try before.close()
        return try Store(at: url, entities: Mixed.self, options: options)
    }

    private func check<S: RecordSource & ~Copyable>(_ source: borrowing S) throws {
        let whole = Result { try source.all(Mixed.self) }
        #expect(throws: StoreError(.notDecodable, "")) { try whole.get() }
        let tens = (1...10).map { RecordID($0 * 10) }
        let (values, unreadable) = try source.allReadable(
            Mixed.self, where: \.text == "t1", sortedBy: [.descending(\.id)], offset: 1, limit: 3)
        #expect(values.map(\.id) == [94, 91, 88])
        #expect(unreadable.map(\.id) == tens.sorted())
        for misfit in unreadable {
            #expect(misfit.record["group"] != nil && misfit.error.place.field == "text")
        }
        // An index tells which records pass: the others are not even read.
        let group = try source.allReadable(Mixed.self, where: \.group == 2)
        let odd = [10, 30, 50, 70, 90].map { RecordID($0) }
        #expect(group.values.count == 20 && group.unreadable.map(\.id) == odd)
        #expect(try source.all(Mixed.self, where: \.group == 1).count == 25)
        #expect(try source.count(Mixed.self) == 100)
        #expect(try source.count(Mixed.self, where: \.group == 2) == 25)
        #expect(try source.exists(Mixed.self, 10))
        #expect(try source.get(Mixed.self, 11)?.group == 3)
        #expect(try source.fetchReadable(FetchRequest<Mixed>(limit: 0)).values.isEmpty)
        #expect(try source.unreadableRecords().map(\.id) == tens.sorted())
    }

    @Test func `does not hide the records that fit (F68)`() throws {
        let store = try mixed()
        try check(store)
        try check(store.snapshot)
        try store.write { tx in
            try tx.update(Mixed.self, 1) { $0.group = 1 }
            try check(tx)
        }
    }

    @Test func `is reported by the opening, and can be deleted and replaced (F68)`() throws {
        let store = try mixed()
        let reported = store.recovery.unreadable
        #expect(reported.count <= 10 && store.recovery.isComplete)
        let all = try store.unreadableRecords()
        #expect(reported.allSatisfy { all.contains($0) })
        try store.write { tx in
            for misfit in try tx.unreadableRecords().prefix(5) {
                #expect(try tx.delete(Mixed.self, misfit.id.decode(as: Int.self)))
            }
            for misfit in try tx.unreadableRecords() {
                let id = try misfit.id.decode(as: Int.self)
                try tx.upsert(Mixed(id: id, group: 9, text: "mended"))
            }
            #expect(try tx.delete(Mixed.self, where: \.group == 9) == 5)
        }
        #expect(try store.all(Mixed.self).count == 90)
        #expect(try store.unreadableRecords().isEmpty)
    }

    @Test func `is a failure of every replay (F68)`() throws {
        let store = try Store(at: directory.store, entities: OldOrder.self)
        #expect(store.recovery.unreadable.isEmpty)
        #expect(try store.unreadableRecords().isEmpty)
        #expect(try store.allReadable(OldOrder.self).values.count == 1)
        try store.close()
        let archive = try Archive(at: directory.store, entities: [Order.self])
        let misfits = try archive.snapshot().unreadableRecords()
        #expect(misfits.map(\.error.place.field) == ["total"])
    }
}

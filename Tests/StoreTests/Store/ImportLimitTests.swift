import Skyros
import TestSupport
import Testing

@testable import SkyrosTool

private struct Document: Entity {
    var id: Int
    var text: String
    var next: Ref<Document>?
    static let relations: [Relation<Document>] = [.to(\.next, onDelete: .nullify)]
}

private struct Order: Entity {
    var id: Int
    var document: Ref<Document>?
    static let relations: [Relation<Order>] = [.to(\.document, onDelete: .deny)]
}

/// Records in memory.
private struct Rows: ImportSource {
    let guessedKinds: [FieldKind] = []
    private(set) var rows: [ImportRow] = []

    mutating func add(_ entity: String, _ fields: NamedValues<FieldValue>) {
        rows.append(
            ImportRow(
                entity: entity, id: fields["id"] ?? .null, fields: fields, idField: "id",
                place: "line \(rows.count + 1)"))
    }

    mutating func addDocument(_ id: Int, next: Int? = nil) {
        var fields: NamedValues<FieldValue> = [
            "id": .integer(Int128(id)), "text": .text(String(repeating: "x", count: 1_500)),
        ]
        if let next { fields["next"] = .integer(Int128(next)) }
        add("Document", fields)
    }

    func forEachRow(_ body: (ImportRow) throws -> Void) throws {
        try rows.forEach(body)
    }
}

/// The limit is that of a small event: 20,000 bytes.
@Suite struct `An import of records that refer to more than an event can hold` {
    private let home: VersionedHome
    private let store: Store
    private var options = Store.Options()

    init() throws {
        home = try VersionedHome(.disk)
        options.eventBytesMax = 20_000
        try home.write(as: Document.self, Order.self) { tx in
            try tx.insert(Document(id: 0, text: "", next: nil))
            try tx.insert(Order(id: 0, document: nil))
        }
        store = try home.open(options: options)
    }

    private func run(_ rows: Rows) throws -> NamedValues<Importer.Tally> {
        var importer = Importer(rows, types: [:], replaces: false)
        let check = try importer.check(limit: options.eventBytesMax) { _, _ in }
        try importer.rehearse(check, on: store.snapshot, Metadata(), options)
        return try importer.write(to: store, Metadata(), total: check.total) { _, _ in }
    }

    @Test func `takes as many of them along as fit`() throws {
        var rows = Rows()
        for id in 1...40 {
            rows.add("Order", ["id": .integer(Int128(id)), "document": .integer(Int128(id))])
        }
        for id in 1...40 { rows.addDocument(id) }
        let tallies = try run(rows)
        #expect(tallies["Order"]?.inserted == 40)
        #expect(tallies["Document"]?.inserted == 40)
        #expect(tallies["Document"]?.unchanged == 0)
        #expect(store.snapshot.count("Document") == 41)
        let again = try run(rows)
        #expect(again["Document"]?.unchanged == 40)
    }

    @Test func `names a chain that is longer, before it writes anything`() throws {
        var rows = Rows()
        for id in 1...40 { rows.addDocument(id, next: id < 40 ? id + 1 : nil) }
        let sequence = store.sequence
        let error = failure(as: StoreError.self) { _ = try run(rows) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.hasPrefix("line 1: Document 1 leads to 39 records") == true)
        #expect(store.sequence == sequence)
        // In the other order nothing must be taken along.
        var reversed = Rows()
        for id in (1...40).reversed() { reversed.addDocument(id, next: id < 40 ? id + 1 : nil) }
        #expect(try run(reversed)["Document"]?.inserted == 40)
    }
}

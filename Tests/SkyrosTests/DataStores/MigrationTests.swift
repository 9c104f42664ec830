import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A migration` {
    private let old: SQLiteStore

    /// 2,500 cards, which are copied before the boards that they refer to.
    init() throws {
        old = try SQLiteStore()
        try old.transaction { tx in
            try tx.insert((1...3).map { Node(id: $0) })
            try tx.insert((1...2_500).map { Leaf(id: $0, node: Ref($0 % 3 + 1)) })
        }
    }

    private func open(limit: Int? = nil) throws -> Store {
        var options = Store.Options()
        if let limit { options.eventBytesMax = limit }
        return try Store(inMemory: Leaf.self, Node.self, options: options)
    }

    @Test func `copies records with the records that they refer to`() throws {
        let new = try open()
        var steps: [Int] = []
        let report = try migrate(from: old, to: new, by: "ann") { steps.append($0.copiedCount) }
        #expect(report.copiedCount == 2_500)
        #expect(report.equalCount == 3)
        #expect(steps == [1_000, 2_000, 2_500])
        #expect(try new.count(Leaf.self) == 2_500)
        #expect(try new.all(Node.self).map(\.id) == [1, 2, 3])
        let metadata = try Array(new.events()).map(\.metadata)
        #expect(metadata.allSatisfy { $0.actor == "ann" && $0.reason == "migration" })
        // And back.
        let again = try SQLiteStore()
        #expect(try migrate(from: new, to: again).copiedCount == 2_503)
        #expect(try again.all(Leaf.self) == new.all(Leaf.self))
    }

    @Test func `continues where an interrupted one ended`() throws {
        let new = try open()
        #expect(throws: CancellationError.self) {
            try interrupted(to: new)
        }
        #expect(try new.count(Leaf.self) == 1_000)
        let report = try migrate(from: old, to: new)
        #expect(report.copiedCount == 1_500)
        #expect(try migrate(from: old, to: new).copiedCount == 0)
    }

    /// A source that fails after 1,500 leaves.
    private func interrupted(to target: Store) throws {
        try migrate(from: FailingSource(base: old, after: 1_500), to: target)
    }

    @Test func `splits what is above the limit of an event`() throws {
        let new = try open(limit: 20_000)
        #expect(try migrate(from: old, to: new).copiedCount == 2_500)
        #expect(new.sequence > 3)
    }

    @Test func `replaces no other record unless it is asked to`() throws {
        let new = try open()
        try new.write { try $0.insert(Node(id: 3, name: "newer")) }
        let error = failure(as: StoreError.self) { try migrate(from: old, to: new) }
        #expect(error?.code == .duplicateID)
        #expect(error?.place.ids == [RecordID(3)])
        #expect(try new.get(Node.self, 3)?.name == "newer")
        try migrate(from: old, to: new, replacing: true)
        #expect(try new.get(Node.self, 3)?.name == "")
    }

    @Test func `names a record that the target refuses`() throws {
        let new = try open()
        let stray = Leaf(id: 0, node: Ref(9))
        try old.transaction { try $0.insert(stray) }
        let broken = failure(as: StoreError.self) { try migrate(from: old, to: new) }
        #expect(broken?.code == .brokenReference)
        #expect(broken?.place.ids == [RecordID(0)])
        let other = try Store(inMemory: Node.self)
        #expect(code { try migrate(from: old, to: other) } == .unknownEntity)
    }
}

private struct Node: Entity, Equatable {
    var id: Int
    var name = ""
}

private struct Leaf: Entity, Equatable {
    var id: Int
    var node: Ref<Node>
    static let relations: [Relation<Leaf>] = [.to(\.node, onDelete: .deny)]
}

/// A data store whose records cannot be read to the end.
private struct FailingSource: DataStore {
    let base: any DataStore
    let after: Int

    func entityNames() throws -> [String] { try base.entityNames() }
    func count(of entity: String) throws -> Int { try base.count(of: entity) }
    func record(_ entity: String, _ id: RecordID) throws -> Record? { try base.record(entity, id) }
    func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        var count = 0
        try base.forEachRecord(of: entity) { record in
            count += 1
            if count > after { throw CancellationError() }
            try body(record)
        }
    }
    func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        try base.commit(metadata, block)
    }
    func flush() throws { try base.flush() }
    func close() throws { try base.close() }
}

import Foundation
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item<ID: Hashable & Codable & Sendable>: Entity, Equatable {
    static var entityName: String { "Item" }
    static var indexes: [Index<Item>] { [.on(\.text)] }
    var id: ID
    var text: String

    static func == (a: Item, b: Item) -> Bool {
        // Not by Swift's `==` of the ids: NaN is one id.
        let bytes = [a, b].map { try? RecordID(encoding: $0.id) }
        return bytes[0] == bytes[1] && a.text == b.text
    }
}

private struct Pair: Hashable, Codable, Sendable {
    var name: String
    var weight: Double
}

/// Ids that Swift's `==` takes for equal, or for unequal to themselves, and others that are odd.
/// Two ids are the same if their canonical bytes are, in every call.
@Suite struct `An odd id` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `is found by its bytes: floats with NaN and both zeros (F66)`() throws {
        try check([0.0, -0.0, .nan, .infinity, -.infinity, 1, .leastNonzeroMagnitude] as [Double])
        try check([0, -0.0, .nan, .infinity, 0.1] as [Float])
        let dates = [0, -0.0, .nan, 0.1].map { Date(timeIntervalSinceReferenceDate: $0) }
        try check(dates)
    }

    @Test func `is found by its bytes: texts in several normal forms (F66)`() throws {
        try check([
            "", "\u{E9}", "e\u{301}", "a\0", " ", "\u{FEFF}", "e\u{323}\u{301}",
            "e\u{301}\u{323}", String(repeating: "\u{E9}", count: 40),
            String(repeating: "e\u{301}", count: 40), "7", "null",
        ])
    }

    @Test func `is found by its bytes: optional, composed and empty ids (F66)`() throws {
        try check([nil, 0, -1] as [Int?])
        try check([
            Pair(name: "\u{E9}", weight: 0), Pair(name: "e\u{301}", weight: 0),
            Pair(name: "\u{E9}", weight: -0.0), Pair(name: "", weight: .nan),
        ])
        try check([["\u{E9}"], ["e\u{301}"], [], ["", ""]])
        try check([Data(), Data([0]), Data([0, 0])])
        try check([true, false])
        try check([1, 0, .nan, Decimal(string: "12.50") ?? 1] as [Decimal])
    }

    /// Every call of the library with each of the ids, which are all different.
    private func check<ID: Hashable & Codable & Sendable>(_ ids: [ID]) throws {
        typealias Thing = Item<ID>
        let url = directory.url.appending(path: UUID().uuidString)
        let store = try Store(at: url, entities: Thing.self)
        let recordIDs = try ids.map { try RecordID(encoding: $0) }
        #expect(Set(recordIDs).count == ids.count)
        for (index, id) in ids.enumerated() {
            let isSingle = index.isMultiple(of: 2)
            try store.write { tx in
                let thing = Thing(id: id, text: "\(index)")
                if isSingle { try tx.insert(thing) } else { try tx.insert([thing]) }
                #expect(try tx.get(Thing.self, id) == thing)
                #expect(try tx.exists(Thing.self, id))
            }
        }
        let held = store.snapshot
        try changeAll(ids, in: store)
        try read(store.snapshot, ids) { "\($0) changed" }
        try read(held, ids) { "\($0)" }
        try compareHistory(of: store, ids, recordIDs)
        let digest = try store.snapshot.digest()
        try store.close()
        for removesCheckpoint in [false, true] {
            if removesCheckpoint {
                try FileManager.default.removeItem(at: url.appending(path: "checkpoint.sqlite"))
            }
            let next = try Store(at: url, entities: Thing.self)
            let loaded = RecoveryReport.Checkpoint.loaded(next.sequence)
            #expect(next.recovery.checkpoint == (removesCheckpoint ? .none : loaded))
            try read(next.snapshot, ids) { "\($0) changed" }
            #expect(try next.snapshot.digest() == digest)
            try next.close()
        }
        try compareTool(url, ids.count, digest)
        let replayed = try Replay(of: url, entities: Thing.self)
            .expecting(digest: digest.description).run()
        try read(replayed.state, ids) { "\($0) changed" }
        try deleteAll(ids, at: url)
    }

    private func changeAll<ID: Hashable & Codable & Sendable>(
        _ ids: [ID], in store: Store
    ) throws {
        typealias Thing = Item<ID>
        for (index, id) in ids.enumerated() {
            let thing = Thing(id: id, text: "\(index) changed")
            #expect(throws: StoreError(.duplicateID, "")) {
                try store.write { try $0.insert(thing) }
            }
            try store.write { tx in
                switch index % 4 {
                case 0: try tx.update(Thing.self, id) { $0.text = thing.text }
                case 1: try tx.update(thing)
                case 2: try tx.upsert(thing)
                default: try tx.upsert([thing])
                }
            }
            if ids.count > index + 1 {
                #expect(throws: StoreError(.idChanged, "")) {
                    try store.write { try $0.update(Thing.self, id) { $0.id = ids[index + 1] } }
                }
            }
        }
    }

    private func read<ID: Hashable & Codable & Sendable>(
        _ state: Snapshot, _ ids: [ID], _ text: (Int) -> String
    ) throws {
        typealias Thing = Item<ID>
        #expect(try state.count(Thing.self) == ids.count)
        for (index, id) in ids.enumerated() {
            let expected = Thing(id: id, text: text(index))
            #expect(try state.get(Thing.self, id) == expected)
            #expect(try state[Thing.self, id] == expected)
            #expect(try state.exists(Thing.self, id))
            #expect(try state.withValue(of: Thing.self, id) { $0.text } == text(index))
            #expect(try state.all(Thing.self, where: \.text == text(index)) == [expected])
            let record = try state.record("Item", RecordID(encoding: id))
            #expect(record?["text"] == .text(text(index)))
        }
        let all = try state.all(Thing.self).map { try RecordID(encoding: $0.id) }
        #expect(try all == ids.map { try RecordID(encoding: $0) }.sorted())
        #expect(try state.all(Thing.self, sortedBy: \.text).count == ids.count)
    }

    private func compareHistory<ID: Hashable & Codable & Sendable>(
        of store: Store, _ ids: [ID], _ recordIDs: [RecordID]
    ) throws {
        for (index, id) in ids.enumerated() {
            let history = try store.history(of: Item<ID>.self, id)
            #expect(history.map(\.kind) == [.inserted, .updated])
            #expect(try history.last?.changes.map(\.before) == [.text("\(index)")])
            let past = try store.snapshot(asOf: .sequence(SequenceNumber(rawValue: UInt64(index))))
            #expect(try !past.exists(Item<ID>.self, id))
            #expect(past.count("Item") == index)
            #expect(
                try store.event(SequenceNumber(rawValue: UInt64(index + 1)))?.changes.first?.id
                    == recordIDs[index])
        }
    }

    private func compareTool(_ url: URL, _ count: Int, _ digest: StateDigest) throws {
        let tool = try Program("skyros")
        #expect(try Archive(at: url).verify().ok)
        let replayed = try tool.run("replay", url.path, "--json").output
        #expect(try FieldValue(json: replayed)["digest"] == .text(digest.description))
        let shown = try tool.run("show", url.path, "Item", "--json").output.split(separator: "\n")
        let texts = try shown.map { try FieldValue(json: String($0))["record"]?["text"]?.text }
        #expect(Set(texts) == Set((0..<count).map { "\($0) changed" }))
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let reader = Repository.root.appending(path: "docs/read_log.py").path
        #expect(try Shell.lines(python, reader, url.path).last == "digest \(digest)")
    }

    private func deleteAll<ID: Hashable & Codable & Sendable>(
        _ ids: [ID], at url: URL
    ) throws {
        typealias Thing = Item<ID>
        let store = try Store(at: url, entities: Thing.self)
        for (index, id) in ids.enumerated() {
            let text = "\(index) changed"
            try store.write { tx in
                let count =
                    try index.isMultiple(of: 2)
                    ? (tx.delete(Thing.self, id) ? 1 : 0)
                    : tx.delete(Thing.self, where: \.text == text)
                #expect(count == 1)
                #expect(try !tx.exists(Thing.self, id))
                #expect(try tx.count(Thing.self) == ids.count - index - 1)
            }
            #expect(try store.history(of: Thing.self, id).last?.kind == .deleted)
        }
        #expect(try store.count(Thing.self) == 0)
        try store.close()
        #expect(try Archive(at: url).verify().ok)
    }
}

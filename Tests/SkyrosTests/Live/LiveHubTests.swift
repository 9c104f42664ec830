import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct LiveCard: Entity, Equatable {
    var id: Int
    var board: String
    var rank = 0
    static let indexes: [Index<LiveCard>] = [.on(\.board, \.rank), .on(\.rank)]
}

private struct Note: Entity {
    var id: Int
}

@Suite struct `The hub of live queries` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: LiveCard.self, Note.self)
        try store.write {
            try $0.insert((0..<100).map { LiveCard(id: $0, board: "b\($0)", rank: $0) })
        }
    }

    private func page(_ filter: Filter<LiveCard>?) throws -> LivePage<LiveCard> {
        let request = FetchRequest(where: filter, sortedBy: [.ascending(\.rank)], limit: 20)
        var page = LivePage(request, on: .all, store.liveHub)
        _ = try page.advance(to: store.snapshot)
        return page
    }

    /// How many of the queries the last event has reached.
    private func reached(_ pages: [LivePage<LiveCard>]) -> Int {
        pages.count { $0.inbox.signal.last == store.sequence }
    }

    @Test func `reaches only the queries whose range of an index has a changed key`() throws {
        let boards = try (0..<1_000).map { try page(\.board == "b\($0)") }
        let ranks = try (0..<1_000).map { number in
            try page(\.rank >= number * 10 && \.rank < number * 10 + 10)
        }
        let all = try [page(nil)]
        #expect(store.liveHub.queryCount == 2_001)

        try store.write { try $0.insert(LiveCard(id: 1_000, board: "new", rank: -1)) }
        #expect((reached(boards), reached(ranks), reached(all)) == (0, 0, 1))
        try store.write { try $0.insert(LiveCard(id: 1_001, board: "b7", rank: 5)) }
        #expect((reached(boards), reached(ranks), reached(all)) == (1, 1, 1))
        try store.write { tx in
            try tx.update(LiveCard.self, 1_001) { ($0.board, $0.rank) = ("b9", 505) }
        }
        #expect((reached(boards), reached(ranks), reached(all)) == (2, 2, 1))
        try store.write { _ = try $0.delete(LiveCard.self, 1_001) }
        #expect((reached(boards), reached(ranks), reached(all)) == (1, 1, 1))
        try store.write { try $0.insert(Note(id: 1)) }
        #expect((reached(boards), reached(ranks), reached(all)) == (0, 0, 0))
        try store.write { _ = try $0.deleteAll(LiveCard.self) }
        #expect((reached(boards), reached(ranks), reached(all)) == (1_000, 1_000, 1))
    }

    @Test func `reaches every query of an index that a record has made useless`() throws {
        var page = try page(\.board == "b5")
        #expect(page.records.values.map(\.id) == [5])
        // Not in normal form C: its key does not have the order of the values.
        let text = "b\u{1100}\u{1161}"
        try store.write { try $0.insert(LiveCard(id: 200, board: text)) }
        #expect(try page.advance(to: store.snapshot) == nil)
        #expect(page.runCount == 2)
        try store.write { try $0.insert(LiveCard(id: 201, board: "b5", rank: -1)) }
        #expect(try page.advance(to: store.snapshot)?.map(\.id) == [201, 5])
    }

    @Test func `reaches every query of a range whose index no longer has the order of its values`()
        throws
    {
        var range = try page(\.board >= "b5" && \.board < "b6")
        // Not in normal form C, but equal to a text that is.
        try store.write { try $0.insert(LiveCard(id: 200, board: "be\u{301}")) }
        #expect(try range.advance(to: store.snapshot) == nil)
        #expect(range.runCount == 2)
    }

    @Test func `takes note of an event once for each query`() throws {
        var page = try page(nil)
        try store.write { tx in
            for id in 0..<5 { try tx.update(LiveCard.self, id) { $0.rank -= 100 } }
        }
        let news = page.inbox.take(through: store.sequence)
        #expect(news.touched.map(\.kinds) == Array(repeating: .updates, count: 5))
        #expect(!news.needsRun)
        #expect(try page.advance(to: store.snapshot) == nil)
    }

    @Test func `leaves later events to a reader of an earlier state`() throws {
        var page = try page(nil)
        let before = store.snapshot
        try store.write { try $0.insert(LiveCard(id: 300, board: "x", rank: -1)) }
        #expect(try page.advance(to: before) == nil)
        #expect(try page.advance(to: store.snapshot)?.first?.id == 300)
    }

    @Test func `wakes no query when it takes note of an event`() throws {
        let page = try page(nil)
        var batch = CommandBatch(metadata: Metadata(), intent: nil)
        let state = store.snapshot
        try Writer(empty: state, .system).stage(on: state, into: &batch) { tx in
            try tx.insert(LiveCard(id: 400, board: "x"))
        }
        let next = state.sequence.advanced(by: 1)
        let affected = store.liveHub.note(batch.changes, of: next)
        #expect(affected.map { $0 === page.inbox } == [true])
        #expect(page.inbox.signal.last == .zero)
        LiveHub.wake(affected, for: next)
        #expect(page.inbox.signal.last == next)
    }

    @Test func `has noted an event, and woken its queries, when the commit ends`() throws {
        let page = try page(nil)
        for id in 500..<503 {
            try store.write { try $0.insert(LiveCard(id: id, board: "x")) }
            #expect(store.liveHub.noted.last == store.sequence)
            #expect(page.inbox.signal.last == store.sequence)
        }
    }

    @Test func `forgets a query that has ended`() throws {
        var pages = try (0..<50).map { try page(\.board == "b\($0 / 2)") } + [page(nil)]
        while let page = pages.popLast() {
            store.liveHub.remove(page.inbox)
            store.liveHub.remove(page.inbox)
            #expect(store.liveHub.queryCount == pages.count)
        }
        try store.write { _ = try $0.deleteAll(LiveCard.self) }
    }

    @Test func `runs every query again after events of another process`() throws {
        var page = try page(\.board == "b5")
        let affected = store.liveHub.noteUnknown(through: store.sequence)
        LiveHub.wake(affected, for: store.sequence)
        #expect(page.inbox.signal.last == store.sequence)
        #expect(try page.advance(to: store.snapshot) == nil)
        #expect(page.runCount == 2)
    }
}

@Suite struct `A tree of key ranges` {
    @Test(arguments: 1...Extent.pick(brief: 10, quick: 40))
    func `finds what a scan of all ranges finds`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        var tree = KeyRangeTree()
        var all: [UInt64: (range: KeyRange, inbox: LiveInbox)] = [:]
        func key() -> ByteString {
            ByteString((0..<random.below(3)).map { _ in UInt8(random.below(4)) })
        }
        for number in 0..<300 as Range<UInt64> {
            if random.below(3) == 0, let old = all.keys.min() {
                all[old] = nil
                tree.remove(number: old)
                tree.remove(number: old)
            }
            let inbox = LiveInbox()
            let range = KeyRange(
                index: 0, definition: IndexDefinition(fields: ["a"], isUnique: false), lower: key(),
                upper: random.below(5) == 0 ? nil : key(), needsOrder: true)
            all[number] = (range, inbox)
            tree.insert(range, inbox, number: number)
            let wanted = key()
            var found: [ObjectIdentifier] = []
            tree.forEach(containing: wanted) { found.append(ObjectIdentifier($0)) }
            let expected = all.values.filter { $0.range.contains(wanted) }
            #expect(found.count == expected.count)
            #expect(Set(found) == Set(expected.map { ObjectIdentifier($0.inbox) }))
        }
        var count = 0
        tree.forEach { _, _ in count += 1 }
        #expect(count == all.count)
        for number in all.keys { tree.remove(number: number) }
        #expect(tree.isEmpty)
    }
}

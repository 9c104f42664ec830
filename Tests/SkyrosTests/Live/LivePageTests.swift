import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Skyros

private struct PageCard: Entity, Equatable {
    var id: Int
    var board = 0
    var rank = 0
    var title = ""
    static let indexes: [Index<PageCard>] = [.on(\.board, \.rank), .on(\.rank)]
}

/// Counts how often a filter is evaluated.
private final class Evaluations: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }

    var filter: Filter<PageCard> {
        Filter { _ in
            self.number.add(1, ordering: .relaxed)
            return true
        }
    }
}

/// An entity with an order of its records.
private struct Ranked: Entity, Equatable {
    var id: Int
    static let defaultOrder: [Sort<Ranked>] = [.descending(\.id)]
}

@Suite struct `The page of a live query` {
    private let store: Store

    init() throws {
        store = try SharedStore.inMemory(PageCard.self)
        try store.write { tx in
            try tx.insert((0..<1_000).map { PageCard(id: $0, board: $0 % 10, rank: $0) })
        }
    }

    private func page(
        _ filter: Filter<PageCard>? = nil, _ sort: [Sort<PageCard>] = [.ascending(\.rank)],
        offset: Int = 0, limit: Int? = 50, on kinds: ChangeKinds = .all
    ) throws -> LivePage<PageCard> {
        let request = FetchRequest(where: filter, sortedBy: sort, offset: offset, limit: limit)
        var page = LivePage(request, on: kinds, store.liveHub)
        _ = try page.advance(to: store.snapshot)
        return page
    }

    @Test func `has the order of its entity if it is asked for none`() throws {
        let store = try SharedStore.inMemory(Ranked.self)
        try store.write { try $0.insert([Ranked(id: 1), Ranked(id: 2)]) }
        var page = LivePage(FetchRequest<Ranked>(limit: 1), on: .all, store.liveHub)
        #expect(try page.advance(to: store.snapshot) == [Ranked(id: 2)])
        try store.write { try $0.insert(Ranked(id: 3)) }
        #expect(try page.advance(to: store.snapshot) == [Ranked(id: 3)])
    }

    @Test func `is not run again by events outside of it, nor by those in it`() throws {
        let evaluations = Evaluations()
        var page = try page(evaluations.filter)
        let first = evaluations.count
        #expect(first == 100)
        for number in 0..<500 {
            try store.write { try $0.upsert(PageCard(id: 2_000 + number, rank: 5_000 - number)) }
            #expect(try page.advance(to: store.snapshot) == nil)
        }
        for number in 0..<500 {
            try store.write { try $0.upsert(PageCard(id: 3_000 + number, rank: -1 - number)) }
            #expect(try page.advance(to: store.snapshot)?.first?.id == 3_000 + number)
        }
        #expect(page.runCount == 1)
        #expect(page.refillCount == 0)
        #expect(evaluations.count == first + 1_000)
    }

    @Test func `is refilled by the index, by as many records as it lacks`() throws {
        let evaluations = Evaluations()
        var page = try page(evaluations.filter)
        let first = evaluations.count
        for id in 0..<500 {
            try store.write { _ = try $0.delete(PageCard.self, id) }
            let cards = try page.advance(to: store.snapshot)
            #expect(cards?.map(\.id) == Array((id + 1)...(id + 50)))
        }
        #expect(page.runCount == 1)
        #expect(page.refillCount == 9)
        #expect(evaluations.count <= first + 500)
    }

    @Test func `is refilled within equal keys, in both directions`() throws {
        try store.write { tx in
            for id in 0..<1_000 { try tx.update(PageCard.self, id) { $0.rank = id / 400 } }
        }
        for sort in [Sort<PageCard>.ascending(\.rank), .descending(\.rank)] {
            var page = try page(nil, [sort], limit: 20)
            for _ in 0..<300 {
                let first = try #require(page.records.values.first)
                try store.write { _ = try $0.delete(first) }
                let request = page.request
                #expect(try page.advance(to: store.snapshot) == store.fetch(request))
            }
            #expect(page.runCount == 1)
            // It holds 20 records in reserve, and none is read twice.
            #expect(page.refillCount == 300 / 21)
        }
    }

    @Test func `takes no record after others that it does not hold`() throws {
        var page = try page(limit: 2)
        // It holds ranks 0 to 17 and has room for another record, which is not the one of rank 900.
        try store.write { _ = try $0.delete(PageCard.self, 5) }
        _ = try page.advance(to: store.snapshot)
        try store.write { try $0.insert(PageCard(id: 5_000, rank: 900)) }
        _ = try page.advance(to: store.snapshot)
        for id in 0..<30 {
            try store.write { _ = try $0.delete(PageCard.self, id) }
            _ = try page.advance(to: store.snapshot)
            #expect(try page.records.values == store.fetch(page.request))
        }
        #expect(page.runCount == 1)
    }

    @Test func `is run again without an index, once in many deletions`() throws {
        var page = try page(nil, [.descending(\.title), .ascending(\.rank)])
        for id in 0..<500 {
            try store.write { _ = try $0.delete(PageCard.self, id) }
            let request = page.request
            #expect(try page.advance(to: store.snapshot) == store.fetch(request))
        }
        #expect(page.refillCount == 0)
        #expect(page.runCount == 10)
    }

    @Test func `is silent where what it shows stays the same`() throws {
        var page = try page(\.board == 3, offset: 5, limit: 10)
        let shown = page.records.values.map(\.id)
        #expect(shown == Array(stride(from: 53, to: 150, by: 10)))
        func news(_ block: (inout WriteTransaction) throws -> Void) throws -> [Int]? {
            try store.write(block)
            return try page.advance(to: store.snapshot)?.map(\.id)
        }
        // Another board; before the offset; after the limit; deleted again.
        #expect(try news { try $0.update(PageCard.self, 54) { $0.title = "a" } } == nil)
        #expect(try news { try $0.update(PageCard.self, 13) { $0.title = "a" } } == nil)
        #expect(try news { try $0.update(PageCard.self, 153) { $0.title = "a" } } == nil)
        #expect(
            try news {
                try $0.insert(PageCard(id: 5_000, board: 3, rank: 70))
                try $0.delete(PageCard.self, 5_000)
            } == nil)
        #expect(try news { try $0.update(PageCard.self, 63) { $0.title = "a" } } == shown)
        #expect(try news { try $0.delete(PageCard.self, 13) }?.last == 153)
        #expect(page.runCount == 1)
    }

    @Test func `wants only some kinds of changes, and shows all (S-124)`() throws {
        var page = try page(\.board == 0, limit: nil, on: .inserts)
        let count = page.records.values.count
        try store.write { tx in try tx.update(PageCard.self, 0) { $0.title = "new" } }
        #expect(try page.advance(to: store.snapshot) == nil)
        try store.write { _ = try $0.delete(PageCard.self, 10) }
        #expect(try page.advance(to: store.snapshot) == nil)
        try store.write { try $0.insert(PageCard(id: 7_000, board: 1)) }
        #expect(try page.advance(to: store.snapshot) == nil)
        try store.write { try $0.insert(PageCard(id: 7_001, board: 0, rank: -1)) }
        let cards = try #require(try page.advance(to: store.snapshot))
        #expect(cards.count == count)
        #expect(cards[0].id == 7_001)
        #expect(cards[1].title == "new")
    }

    @Test func `is run again if more changes wait for it than it keeps`() throws {
        var page = try page(nil, limit: nil)
        try store.write { tx in
            for id in 0...LiveInbox.touchedCountMax { try tx.upsert(PageCard(id: id, board: 77)) }
        }
        try store.write { try $0.upsert(PageCard(id: -1)) }
        let request = page.request
        #expect(try page.advance(to: store.snapshot) == store.fetch(request))
        #expect(page.runCount == 2)
        try store.write { _ = try $0.delete(PageCard.self, -1) }
        #expect(try page.advance(to: store.snapshot) == store.fetch(request))
        #expect(page.runCount == 2)
    }

    @Test func `of no records stays empty`() throws {
        var page = try page(nil, limit: 0)
        #expect(page.records.values.isEmpty)
        try store.write { try $0.insert(PageCard(id: -5, rank: -5)) }
        #expect(try page.advance(to: store.snapshot) == nil)
        #expect(page.records.values.isEmpty)
    }

    /// The second event is visible when the query runs for the first one, and is noted later.
    @Test func `shows a wanted change that its run has seen before it was noted`() throws {
        // Nothing is noted but by the test.
        let hub = LiveHub(store.view, noted: EventSignal(.zero))
        let request = FetchRequest<PageCard>(sortedBy: [.ascending(\.rank)])
        var page = LivePage(request, on: .inserts, hub)
        _ = try page.advance(to: store.snapshot)
        try store.write { _ = try $0.deleteAll(PageCard.self) }
        let state = store.snapshot
        try store.write { try $0.insert(PageCard(id: 1)) }
        _ = page.inbox.addAll(.deletes, of: state.sequence)
        #expect(try page.advance(to: state)?.map(\.id) == [1])
        _ = page.inbox.add(RecordID(1), .inserted, of: store.sequence)
        #expect(try page.advance(to: store.snapshot) == nil)
    }
}

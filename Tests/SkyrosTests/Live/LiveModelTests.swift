import Foundation
import TestSupport
import Testing

@testable import Skyros

/// Live queries of random requests, beside the same requests run anew.
private struct LiveModel<I: Indexing> {
    private struct Followed {
        let request: FetchRequest<Item<I>>
        var page: LivePage<Item<I>>
        var last: [Item<I>]
    }

    private let store: Store
    private var random: RandomSource
    private var ids: [UUID] = []
    private var followed: [Followed] = []
    private(set) var changedCount = 0

    init(seed: UInt64, pageCount: Int) throws {
        random = RandomSource(seed: seed)
        store = try SharedStore.inMemory(Item<I>.self)
        let items = (0..<150).map { _ in Item<I>.random(&random) }
        ids = items.map(\.id)
        try store.write { try $0.insert(items) }
        for _ in 0..<pageCount {
            let request = RequestModel<I>(&random).request
            var page = LivePage(request, on: .all, store.liveHub)
            let first = try page.advance(to: store.snapshot)
            #expect(try first == store.fetch(request))
            followed.append(Followed(request: request, page: page, last: first ?? []))
        }
    }

    /// How often a query was run, the first runs included.
    var runCount: Int { followed.reduce(0) { $0 + $1.page.runCount } }

    /// Writes a random event.
    mutating func write() throws {
        let stepCount = random.below(4) == 0 ? random.below(20) : 1
        var (random, ids) = (random, ids)
        try store.write { tx in
            for _ in 0..<stepCount { try Self.step(&tx, &random, &ids) }
        }
        (self.random, self.ids) = (random, ids)
    }

    private static func step(
        _ tx: inout WriteTransaction, _ random: inout RandomSource, _ ids: inout [UUID]
    ) throws {
        var item = Item<I>.random(&random)
        switch random.below(100) {
        case 0..<35 where ids.count < 250:
            ids.append(item.id)
            try tx.insert(item)
        case 35..<70 where !ids.isEmpty:
            item.id = ids[random.below(ids.count)]
            try tx.update(item)
        case 99 where random.below(8) == 0:
            ids = []
            try tx.deleteAll(Item<I>.self)
        default:
            guard !ids.isEmpty else { return }
            try tx.delete(Item<I>.self, ids.remove(at: random.below(ids.count)))
        }
    }

    /// Compares the queries that read now: each by itself with the chance of `share` percent.
    mutating func compare(share: Int) throws {
        let state = store.snapshot
        for index in followed.indices where random.below(100) < share {
            let news = try followed[index].page.advance(to: state)
            let request = followed[index].request
            let expected = try state.fetch(request)
            #expect(followed[index].page.records.values == expected, "\(request)")
            if let news {
                #expect(news == expected)
                changedCount += 1
            } else {
                #expect(followed[index].last == expected, "a change is missed: \(request)")
            }
            followed[index].last = expected
        }
    }
}

@Suite(.long) struct `A live query beside the same query run anew` {
    private func check<I: Indexing>(_ type: I.Type, seed: UInt64, share: Int) throws {
        let (pages, events) = (20, Extent.pick(brief: 100, quick: 150, deep: 2_000))
        var model = try LiveModel<I>(seed: seed, pageCount: pages)
        for _ in 0..<events {
            try model.write()
            try model.compare(share: share)
        }
        try model.compare(share: 100)
        #expect(model.changedCount > events / 4)
        // Beyond the first runs: where records were deleted faster than the reserve allows, and
        // after all were deleted.
        #expect(model.runCount - pages < pages * events / 20, "\(model.runCount) runs")
    }

    @Test(arguments: 1...8)
    func `has its result after each event (S-122, S-123)`(seed: UInt64) throws {
        try check(Indexed.self, seed: seed, share: 100)
    }

    @Test(arguments: 11...14)
    func `has its result without indexes`(seed: UInt64) throws {
        try check(Unindexed.self, seed: seed, share: 100)
    }

    @Test(arguments: 21...26)
    func `has the newest result if its reader is slow`(seed: UInt64) throws {
        try check(Indexed.self, seed: seed, share: 15)
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A page` {
    /// Reads all pages of a request.
    private func pages<E: Entity>(
        of request: FetchRequest<E>, in source: borrowing some RecordSource & ~Copyable
    ) throws -> [[E]] {
        var pages = [try source.page(request)]
        while let next = pages.last?.next {
            // A cursor that was stored and read again is the same.
            let stored = try JSONEncoder().encode(next)
            let cursor = try JSONDecoder().decode(PageCursor.self, from: stored)
            #expect(cursor == next)
            pages.append(try source.page(request, after: cursor))
        }
        return pages.map(\.items)
    }

    private func check<I: Indexing>(_ type: I.Type, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(inMemory: Item<I>.self)
        var values = (0..<150).map { _ in Item<I>.random(&random) }
        try store.write { try $0.insert(values) }
        for _ in 0..<40 { try expect(RequestModel<I>(&random), values, in: store, &random) }
        try store.write { tx in
            for index in stride(from: 0, to: 150, by: 4) {
                let id = values[index].id
                values[index] = .random(&random)
                values[index].id = id
                try tx.upsert(values[index])
            }
            for _ in 0..<20 { try tx.delete(values.removeLast()) }
            for _ in 0..<15 { try expect(RequestModel<I>(&random), values, in: tx, &random) }
        }
    }

    private func expect<I: Indexing>(
        _ model: RequestModel<I>, _ values: [Item<I>],
        in source: borrowing some RecordSource & ~Copyable, _ random: inout RandomSource
    ) throws {
        var whole = model
        whole.request.limit = nil
        let expected = whole.answer(from: values)
        var request = model.request
        request.limit = random.below(12) + 1
        let pages = try pages(of: request, in: source)
        #expect(pages.flatMap(\.self) == expected, "\(request)")
        #expect(pages.dropLast().allSatisfy { $0.count == request.limit })
        #expect(expected.isEmpty || pages.last?.isEmpty == false)
    }

    @Test(arguments: 1...6)
    func `after page gives all records once, with indexes`(seed: UInt64) throws {
        try check(Indexed.self, seed: seed)
    }

    @Test(arguments: 1...3)
    func `after page gives all records once, without indexes`(seed: UInt64) throws {
        try check(Unindexed.self, seed: seed)
    }

    private func checkChanges<I: Indexing>(_ type: I.Type, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(inMemory: Item<I>.self)
        let values = (0..<120).map { _ in Item<I>.random(&random) }
        try store.write { try $0.insert(values) }
        var model = RequestModel<I>(&random)
        model.request.limit = nil
        model.request.offset = 0
        var deleted: Set<UUID> = []
        var found: [Item<I>] = []
        var request = model.request
        request.limit = 5
        var page = try store.page(request)
        found += page.items
        while let next = page.next {
            try store.write { tx in
                // The last record of the page is among those that are deleted.
                for victim in page.items.suffix(1) + [values[random.below(values.count)]] {
                    try tx.delete(victim)
                    deleted.insert(victim.id)
                }
                try tx.insert((0..<3).map { _ in Item<I>.random(&random) })
            }
            page = try store.page(request, after: next)
            found += page.items
        }
        #expect(Set(found.map(\.id)).count == found.count, "a record is in two pages")
        let stable = values.filter { !deleted.contains($0.id) }
        let kept = found.filter { item in stable.contains { $0.id == item.id } }
        #expect(kept == model.answer(from: stable), "\(request)")
        #expect(model.answer(from: found) == found, "the pages are in order")
    }

    @Test(arguments: 1...20)
    func `continues where the last one ended, whatever was inserted and deleted`(
        seed: UInt64
    ) throws {
        try checkChanges(Indexed.self, seed: seed)
        try checkChanges(Unindexed.self, seed: seed)
    }

    @Test func `tests as many rows as it has, if an index has the order`() throws {
        let store = try Store(inMemory: Item<Indexed>.self)
        var random = RandomSource(seed: 4)
        let values = (0..<500).map { number in
            var item = Item<Indexed>.random(&random)
            item.weight = Double(number)
            return item
        }
        try store.write { try $0.insert(values) }
        for sort in [Sort<Item<Indexed>>.ascending(\.weight), .descending(\.weight)] {
            let counter = TestCounter()
            let request = FetchRequest(
                where: .test { _ in counter.add() }, sortedBy: [sort], limit: 10)
            var page = try store.page(request)
            while let next = page.next {
                let before = counter.value
                page = try store.page(request, after: next)
                #expect(counter.value - before <= 11)
            }
        }
    }

    @Test func `takes only the cursors of the same request`() throws {
        let store = try Store(inMemory: Item<Indexed>.self, Other.self)
        var random = RandomSource(seed: 6)
        let values = (0..<9).map { _ in Item<Indexed>.random(&random) }
        try store.write { try $0.insert(values) }
        var request = FetchRequest<Item<Indexed>>(
            where: \.rank > -9, sortedBy: [.ascending(\.group)], limit: 2)
        let cursor = try #require(try store.page(request).next)
        request.limit = 3
        #expect(try store.page(request, after: cursor).items.count == 3)
        let others: [FetchRequest<Item<Indexed>>] = [
            FetchRequest(where: \.rank > -8, sortedBy: [.ascending(\.group)], limit: 2),
            FetchRequest(where: \.rank >= -9, sortedBy: [.ascending(\.group)], limit: 2),
            FetchRequest(sortedBy: [.ascending(\.group)], limit: 2),
            FetchRequest(where: \.rank > -9, sortedBy: [.descending(\.group)], limit: 2),
            FetchRequest(where: \.rank > -9, sortedBy: [.ascending(\.note)], limit: 2),
            FetchRequest(where: \.rank > -9, limit: 2),
        ]
        for other in others {
            let error = #expect(throws: StoreError.self) { try store.page(other, after: cursor) }
            #expect(error?.code == .invalidCursor)
        }
        let error = #expect(throws: StoreError.self) {
            try store.page(FetchRequest<Other>(limit: 1), after: cursor)
        }
        #expect(error?.code == .invalidCursor)
    }

    private struct Other: Entity {
        var id: Int
    }

    @Test func `refuses what cannot make progress, and texts that are no cursors`() throws {
        let store = try Store(inMemory: Item<Indexed>.self)
        typealias Request = FetchRequest<Item<Indexed>>
        let requests = [
            Request(limit: 0), Request(limit: -1),
            Request(predicate: nil, sortBy: [SortDescriptor(\.rank)], limit: 2),
        ]
        for request in requests {
            let error = #expect(throws: StoreError.self) { try store.page(request) }
            #expect(error?.code == .invalidInput)
        }
        #expect(try store.page(Request(limit: 4)) == Page(items: [], next: nil))
        for text in ["", "x", "AAAA", "gwE", "日本", "g0GAQA!!"] {
            #expect(PageCursor(text: text) == nil)
            let json = try JSONEncoder().encode(text)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(PageCursor.self, from: json)
            }
        }
    }

    @Test func `survives cursors with any bytes in them`() throws {
        let store = try Store(inMemory: Item<Indexed>.self)
        var random = RandomSource(seed: 8)
        let values = (0..<30).map { _ in Item<Indexed>.random(&random) }
        try store.write { try $0.insert(values) }
        let request = FetchRequest<Item<Indexed>>(
            sortedBy: [.ascending(\.note), .descending(\.weight)], limit: 4)
        let text = Array(try #require(try store.page(request).next).text)
        for _ in 0..<3_000 {
            var changed = text
            changed[random.below(text.count)] = Array("AZaz09-_")[random.below(8)]
            guard let cursor = PageCursor(text: String(changed)) else { continue }
            do {
                #expect(try store.page(request, after: cursor).items.count <= 4)
            } catch let error as StoreError {
                #expect(error.code == .invalidCursor)
            }
        }
    }
}

@Suite struct `A default order` {
    private struct Pet: Entity, Equatable {
        static let defaultOrder: [Sort<Pet>] = [.descending(\.name), .byID]
        var id: Int
        var name: String
    }

    @Test func `is that of every read that asks for none`() throws {
        let store = try Store(inMemory: Pet.self)
        let names = ["b", "a", "c", "b"]
        try store.write { tx in
            try tx.insert(names.enumerated().map { Pet(id: $0, name: $1) })
            #expect(try tx.all(Pet.self).map(\.id) == [2, 0, 3, 1])
        }
        #expect(try store.all(Pet.self).map(\.id) == [2, 0, 3, 1])
        #expect(try store.all(Pet.self, where: \.name < "c", limit: 2).map(\.id) == [0, 3])
        #expect(try store.first(Pet.self)?.id == 2)
        #expect(try store.fetchReadable(FetchRequest<Pet>()).values.map(\.id) == [2, 0, 3, 1])
        #expect(try store.all(Pet.self, where: #Predicate { $0.id > 0 }).map(\.id) == [2, 3, 1])
        #expect(try store.all(Pet.self, sortedBy: \.name).map(\.id) == [1, 0, 3, 2])
        #expect(try store.all(Pet.self, sortedBy: [.byID]).map(\.id) == [0, 1, 2, 3])
        #expect(
            try store.all(Pet.self, sortedBy: [.byID, .descending(\.name)]).map(\.id)
                == [0, 1, 2, 3])
        var request = FetchRequest<Pet>(limit: 3)
        let page = try store.page(request)
        #expect(page.items.map(\.id) == [2, 0, 3])
        #expect(try store.page(request, after: page.next).items.map(\.id) == [1])
        request.sort = [.byID]
        #expect(try store.page(request).items.map(\.id) == [0, 1, 2])
    }
}

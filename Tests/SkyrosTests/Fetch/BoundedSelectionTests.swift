import TestSupport
import Testing

@testable import Skyros

@Suite struct `A selection of the first rows` {
    @Test func `is what a sort and a prefix give`() {
        var random = RandomSource(seed: 99)
        for _ in 0..<300 {
            let values = (0..<random.below(60)).map { _ in random.below(30) }
            let count = random.below(12)
            var selection = BoundedSelection<Int>(count, by: <)
            for value in values where selection.admits(value) { selection.add(value) }
            #expect(selection.sorted() == Array(values.sorted().prefix(count)))
        }
    }

    @Test func `compares each element about once (F67)`() {
        var random = RandomSource(seed: 100)
        let values = (0..<100_000).map { _ in random.next() }
        for (count, comparisonsMax) in [(1, 100_100), (20, 104_000)] {
            var comparisons = 0
            var selection = BoundedSelection<UInt64>(count) { a, b in
                comparisons += 1
                return a < b
            }
            for value in values where selection.admits(value) { selection.add(value) }
            #expect(selection.sorted() == Array(values.sorted().prefix(count)))
            #expect(comparisons <= comparisonsMax)
        }
    }

    private func count<T>(_ request: (Filter<Note>) throws -> T) throws -> Int {
        let tested = TestCounter()
        _ = try request(Filter { _ in tested.add() })
        return tested.value
    }

    @Test func `tests a filter on few rows, and sorts none (F67)`() throws {
        let store = try Store(inMemory: Note.self)
        try store.write { try $0.insert((0..<10_000).map { Note(id: $0, text: "") }) }
        let ofFirst = try count { try store.first(Note.self, where: $0) }
        let ofLimit = try count { try store.all(Note.self, where: $0, offset: 5, limit: 5) }
        #expect(ofFirst < 100)
        #expect(ofLimit < 500)
        #expect(try store.first(Note.self)?.id == 0)
        #expect(try store.all(Note.self, offset: 5, limit: 5).map(\.id) == Array(5..<10))
    }
}

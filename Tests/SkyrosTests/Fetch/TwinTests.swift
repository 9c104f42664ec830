import Foundation
import Skyros
import TestSupport
import Testing

/// An index never changes an answer: a fetch of indexed records beside one of plain records.
@Suite struct `An index beside a scan` {
    private struct Pair {
        let indexed: Store
        let plain: Store
        let twins: [Twin<Unindexed>]

        init(_ values: inout TwinValues) throws {
            indexed = try Store(inMemory: Twin<Indexed>.self)
            plain = try Store(inMemory: Twin<Unindexed>.self)
            var copy = values
            let twins = (0..<24).map { values.twin(Twin<Unindexed>.self, id: $0) }
            let others = (0..<24).map { copy.twin(Twin<Indexed>.self, id: $0) }
            self.twins = twins
            try plain.write { try $0.insert(twins) }
            try indexed.write { try $0.insert(others) }
        }

        /// Compares the answers to a random predicate, and returns how many were compared.
        func compare(_ values: inout TwinValues) throws -> Int {
            var copy = values
            let mine = TwinPredicate<Indexed>(&values)
            let other = TwinPredicate<Unindexed>(&copy)
            var comparisonCount = 0
            if let predicate = mine.predicate, let plainPredicate = other.predicate {
                let expected = try twins.filter(plainPredicate.evaluate).map(\.id)
                try expect(Filter(predicate), Filter(plainPredicate), expected, predicate)
                comparisonCount += 1
            }
            if let filter = mine.filter, let plainFilter = other.filter {
                let expected = try twins.filter(plainFilter.matches).map(\.id)
                if let predicate = other.predicate {
                    #expect(try twins.filter(predicate.evaluate).map(\.id) == expected)
                }
                try expect(filter, plainFilter, expected, mine.predicate)
                comparisonCount += 1
            }
            return comparisonCount
        }

        private func expect(
            _ mine: Filter<Twin<Indexed>>, _ other: Filter<Twin<Unindexed>>, _ expected: [Int],
            _ predicate: Predicate<Twin<Indexed>>?
        ) throws {
            let scanned = try plain.all(Twin<Unindexed>.self, where: other).map(\.id)
            let found = try indexed.all(Twin<Indexed>.self, where: mine).map(\.id)
            guard found != expected || scanned != expected else {
                #expect(try indexed.count(Twin<Indexed>.self, where: mine) == expected.count)
                return
            }
            let description = predicate.map { "\($0)" } ?? "a filter"
            Issue.record("index \(found), scan \(scanned), Swift \(expected): \(description)")
        }
    }

    @Test(arguments: 0..<10)
    func `gives the same answers to 10,000 predicates (F67)`(seed: Int) throws {
        var values = TwinValues(
            random: RandomSource(seed: 670 + UInt64(seed)), isIrregular: seed % 3 != 0)
        var comparisonCount = 0
        for _ in 0..<10 {
            let pair = try Pair(&values)
            let end = comparisonCount + 100
            while comparisonCount < end { comparisonCount += try pair.compare(&values) }
        }
        #expect(comparisonCount >= 1_000)
    }

    /// A record whose index keys differ from their neighbours in their last byte.
    private struct Job<ID: Hashable & Codable & Sendable>: Entity {
        static var entityName: String { "Job" }
        static var indexes: [Index<Self>] { [.on(\.isOpen), .on(\.weight), .on(\.due)] }

        var id: ID
        var isOpen: Bool
        var weight: Double
        var due: Date
    }

    @Test func `finds the same after changes and deletions, whatever the kind of the ids`() throws {
        var random = RandomSource(seed: 9)
        try checkChanges((0..<200).map { _ in random.uuid() })
        try checkChanges((0..<200).map { "\($0)" })
        try checkChanges((0..<200).map { -1 - $0 })
    }

    private func checkChanges<ID: Hashable & Codable & Sendable>(_ ids: [ID]) throws {
        let store = try Store(inMemory: Job<ID>.self)
        var jobs = ids.enumerated().map { number, id in
            Job(
                id: id, isOpen: number % 2 == 0, weight: number % 3 == 0 ? .nan : 1,
                due: Date(timeIntervalSinceReferenceDate: 7e8 + Double(number) * 1e-6))
        }
        try store.write { try $0.insert(jobs) }
        for index in 0..<100 {
            jobs[index].isOpen.toggle()
            jobs[index].weight = jobs[index].weight.isNaN ? 1 : .nan
        }
        try store.write { tx in for job in jobs[..<100] { try tx.upsert(job) } }
        while !jobs.isEmpty {
            try expect(jobs, in: store)
            let deleted = jobs.suffix(40).map(\.id)
            jobs.removeLast(40)
            try store.write { tx in for id in deleted { try tx.delete(Job<ID>.self, id) } }
        }
        try expect(jobs, in: store)
    }

    private func expect<ID>(_ jobs: [Job<ID>], in store: Store) throws {
        let last = Date(timeIntervalSinceReferenceDate: 7e8 + 90e-6)
        let filters: [Filter<Job<ID>>] = [
            Filter(\.isOpen), !\.isOpen, \.weight == 1, \.weight >= 1, \.due <= last,
        ]
        for filter in filters {
            let expected = try jobs.filter(filter.matches).map(\.id)
            let found = try store.all(Job<ID>.self, where: filter).map(\.id)
            #expect(found.count == expected.count && Set(found) == Set(expected))
            #expect(try store.count(Job<ID>.self, where: filter) == expected.count)
        }
        let sorts: [Sort<Job<ID>>] = [.ascending(\.weight), .ascending(\.due)]
        for sort in sorts {
            let found = try store.all(Job<ID>.self, sortedBy: [sort]).map(\.id)
            #expect(found.count == jobs.count && Set(found) == Set(jobs.map(\.id)))
        }
    }

    @Test func `serves ranges again once no irregular value is left`() throws {
        let store = try Store(inMemory: Twin<Indexed>.self)
        var values = TwinValues(random: RandomSource(seed: 5), isIrregular: false)
        try store.write { tx in
            for id in 0..<20 {
                var twin = values.twin(Twin<Indexed>.self, id: id)
                twin.text = id == 7 ? "e\u{301}" : "text \(id)"
                try tx.insert(twin)
            }
        }
        func rowsTested() throws -> Int {
            let counter = TestCounter()
            let filter = Filter { _ in counter.add() } && \Twin<Indexed>.text < "text 1"
            _ = try store.count(Twin<Indexed>.self, where: filter)
            return counter.value
        }
        #expect(try rowsTested() == 20)
        #expect(try store.count(Twin<Indexed>.self, where: \.text == "\u{E9}") == 1)
        try store.write { try $0.delete(Twin<Indexed>.self, 7) }
        #expect(try rowsTested() == 1)
    }
}

/// Counts the calls of a filter.
///
/// - Note: `@unchecked` because a fetch calls its filter on one thread.
final class TestCounter: @unchecked Sendable {
    private(set) var value = 0
    func add() -> Bool {
        value += 1
        return true
    }
}

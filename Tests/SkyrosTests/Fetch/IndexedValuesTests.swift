import Foundation
import Skyros
import TestSupport
import Testing

/// A search in an index finds what a test of every value finds.
@Suite struct `Awkward values in an index` {
    private struct Sample<Value: Codable & Comparable & Sendable>: Entity {
        static var entityName: String { "Sample" }
        static var indexes: [Index<Sample>] { [.on(\.value), .on(\.perhaps)] }

        var id: Int
        var value: Value
        var perhaps: Value?
    }

    /// Compares every value with every other, in every way, through the index and without it.
    private func check<Value>(_ values: [Value]) throws
    where Value: Codable & Comparable & Sendable {
        let store = try Store(inMemory: Sample<Value>.self)
        let samples =
            values.enumerated().map { Sample(id: $0, value: $1, perhaps: $1) }
            + values.enumerated().map { Sample(id: values.count + $0, value: $1, perhaps: nil) }
        try store.write { try $0.insert(samples) }

        func expect(_ filter: Filter<Sample<Value>>, _ isIncluded: (Value) -> Bool) throws {
            let found = try store.all(Sample<Value>.self, where: filter).map(\.id)
            #expect(found == samples.filter { isIncluded($0.value) }.map(\.id))
            #expect(try found == samples.filter(filter.matches).map(\.id))
            #expect(try store.count(Sample<Value>.self, where: filter) == found.count)
        }
        func expectPerhaps(_ filter: Filter<Sample<Value>>, _ isIncluded: (Value) -> Bool) throws {
            let found = try store.all(Sample<Value>.self, where: filter).map(\.id)
            #expect(found == samples.filter { $0.perhaps.map(isIncluded) ?? false }.map(\.id))
            #expect(try found == samples.filter(filter.matches).map(\.id))
            #expect(try store.count(Sample<Value>.self, where: filter) == found.count)
        }
        for value in values {
            try expect(\.value == value) { $0 == value }
            try expectPerhaps(\.perhaps == value) { $0 == value }
            try expect(\.value < value) { $0 < value }
            try expect(\.value <= value) { $0 <= value }
            try expect(\.value > value) { $0 > value }
            try expect(\.value >= value) { $0 >= value }
            try expectPerhaps(\.perhaps < value) { $0 < value }
            try expectPerhaps(\.perhaps <= value) { $0 <= value }
            try expectPerhaps(\.perhaps > value) { $0 > value }
            try expectPerhaps(\.perhaps >= value) { $0 >= value }
        }
        #expect(try store.count(Sample<Value>.self, where: \.perhaps == nil) == values.count)
    }

    @Test func `are texts that are equal though their scalars differ`() throws {
        let forms = ["\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{AC00}"]
        let others = ["\u{1100}\u{1161}", "q\u{307}\u{323}", "q\u{323}\u{307}", "e", "", "\0"]
        try check(forms + others)
        try check(["a", "a\0", "a\u{1}", "a\u{1}\u{1}", "a\0b", "\u{10FFFF}", "\u{FFFF}"])
    }

    @Test func `are numbers that equal nothing, or each other`() throws {
        try check([0, -0.0, .nan, -.nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1])
        try check([Float(0), -0.0, .nan, .infinity, 0.1, 1 / 3, .greatestFiniteMagnitude])
    }

    @Test func `are integers of all sizes`() throws {
        try check([0, -1, .min, .max, .max - 1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1])
        try check([UInt64.max, .max - 1, 0, 1 << 63])
        try check([Int128.min, .max, -1, 0, 1 << 64])
        try check([UInt128.max, .max - 1, 0, 1 << 127])
    }

    private typealias Moment = Sample<Date>
    private typealias Expectation = (Filter<Moment>, (Date) -> Bool) throws -> Void

    /// Compares moments, two of which are NaN, with each of them.
    private func checkMoments(_ expectations: (Date, Expectation) throws -> Void) throws {
        let moments = [0, -0.0, 1e-9, -1e300, .infinity, .nan, -.nan]
            .map { Date(timeIntervalSinceReferenceDate: $0) }
        let store = try Store(inMemory: Moment.self)
        let samples = moments.enumerated().map { Moment(id: $0, value: $1, perhaps: $1) }
        try store.write { try $0.insert(samples) }
        for moment in moments {
            try expectations(moment) { filter, isIncluded in
                // A description of a date that is NaN cannot be had, so only ids are compared.
                let expected = samples.filter { isIncluded($0.value) }.map(\.id)
                let found = try store.all(Moment.self, where: filter).map(\.id)
                #expect(found == expected)
                let looked = try samples.filter(filter.matches).map(\.id)
                #expect(looked == expected)
                let count = try store.count(Moment.self, where: filter)
                #expect(count == expected.count)
            }
        }
    }

    @Test func `are dates, two of which are NaN`() throws {
        try checkMoments { moment, expect in
            try expect(\.value == moment) { $0 == moment }
            try expect(\.value != moment) { $0 != moment }
            try expect(\.value < moment) { $0 < moment }
            try expect(\.value > moment) { $0 > moment }
            try expect(\.perhaps == moment) { $0 == moment }
            try expect(\.perhaps < moment) { $0 < moment }
            try expect(\.perhaps > moment) { $0 > moment }
        }
    }

    @Test func `are dates, of which Swift finds NaN at most and at least any other`() throws {
        try checkMoments { moment, expect in
            try expect(\.value <= moment) { $0 <= moment }
            try expect(\.value >= moment) { $0 >= moment }
            try expect(\.perhaps <= moment) { $0 <= moment }
            try expect(\.perhaps >= moment) { $0 >= moment }
        }
    }

    /// Expects an order of values from an index, and from a sort that no index gives.
    private func expectOrder<Value>(_ ascending: [Value], ties: [Value] = []) throws
    where Value: Codable & Comparable & Sendable {
        typealias S = Sample<Value>
        let store = try Store(inMemory: S.self)
        // No id order is that of the values by chance; of those that tie, ids decide.
        let values = Array(ascending.reversed()) + ties
        let samples = values.enumerated().map { S(id: $0, value: $1, perhaps: $1) }
        try store.write { try $0.insert(samples) }
        let tied = Array(ascending.count..<values.count)
        let up = Array((0..<ascending.count).reversed())
        for rest in [[], [Sort<S>.ascending(\.id)]] {
            for first: Sort<S> in [.ascending(\.value), .ascending(\.perhaps)] {
                #expect(try store.all(S.self, sortedBy: [first] + rest).map(\.id) == up + tied)
            }
            for first: Sort<S> in [.descending(\.value), .descending(\.perhaps)] {
                let expected = [0] + tied + up.dropLast().reversed()
                #expect(try store.all(S.self, sortedBy: [first] + rest).map(\.id) == expected)
            }
        }
    }

    @Test func `come last if they are NaN, in every sort`() throws {
        let ties = [-Double.nan, .nan, -.nan]
        try expectOrder([-.infinity, -1, 0, 1, 2, 3, .infinity, .nan], ties: ties)
        func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        try expectOrder([-1, 0, 1, .infinity, .nan].map(date), ties: ties.map(date))
    }

    /// Of "e\u{301}" and "\u{E9}b" Swift 6.3 finds neither less.
    @Test func `are texts that Swift puts in another order than their bytes`() throws {
        let texts = ["e", "e\u{301}", "f", "\u{E9}\u{E9}", "\u{E9}b"].sorted { a, b in
            a.utf8.lexicographicallyPrecedes(b.utf8)
        }
        try expectOrder(texts, ties: [texts[4]])
        try check(texts)
    }

    private struct Nested: Entity {
        static let indexes: [Index<Nested>] = [.on(\.value)]
        var id: Int
        var value: Int??
    }

    /// Only one of the two kinds can be stored: both are null.
    @Test func `are both kinds of nil of an optional of an optional`() throws {
        let store = try Store(inMemory: Nested.self)
        try store.write { try $0.insert([Nested(id: 1, value: nil), Nested(id: 2, value: 7)]) }
        let filters: [Filter<Nested>] = [
            \.value == .some(nil), \.value == nil, \.value == 7, \.value != nil,
            .in(\.value, [.some(nil), 7]),
        ]
        let all = try store.all(Nested.self)
        for filter in filters {
            let expected = try all.filter(filter.matches).map(\.id)
            #expect(try store.all(Nested.self, where: filter).map(\.id) == expected)
            #expect(try store.count(Nested.self, where: filter) == expected.count)
        }
    }

    @Test func `are UUIDs`() throws {
        var random = RandomSource(seed: 77)
        try check((0..<20).map { _ in random.nearby() } + [random.uuid(), random.uuid()])
    }
}

extension RandomSource {
    /// UUIDs of which there are few, that differ in their ends.
    fileprivate mutating func nearby() -> UUID {
        let last = UInt8(below(5)) &* 60
        return UUID(uuid: (last, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last))
    }
}

import Foundation
import Skyros
import Testing

/// What is found through an index is what a look at every value finds.
@Suite struct `Awkward values in an index` {
    private struct Sample<Value: Codable & Comparable & Sendable>: Entity {
        static var entityName: String { "Sample" }
        static var indexes: [Index<Sample>] { [.on(\.value), .on(\.perhaps)] }

        var id: Int
        var value: Value
        var perhaps: Value?
    }

    /// Compares every value with every other, in every way, through the index and without it.
    private func check<Value>(_ values: [Value], isOrdered: Bool = true) throws
    where Value: Codable & Comparable & Sendable {
        let store = try Store(inMemory: Sample<Value>.self)
        let samples =
            values.enumerated().map { Sample(id: $0, value: $1, perhaps: $1) }
            + values.enumerated().map { Sample(id: values.count + $0, value: $1, perhaps: nil) }
        try store.write { try $0.insert(samples) }

        func expect(_ filter: Filter<Sample<Value>>, _ isIncluded: (Value) -> Bool) throws {
            let found = try store.all(Sample<Value>.self, where: filter).map(\.id)
            #expect(found == samples.filter { isIncluded($0.value) }.map(\.id))
            #expect(try store.count(Sample<Value>.self, where: filter) == found.count)
        }
        func expectPerhaps(_ filter: Filter<Sample<Value>>, _ isIncluded: (Value) -> Bool) throws {
            let found = try store.all(Sample<Value>.self, where: filter).map(\.id)
            #expect(found == samples.filter { $0.perhaps.map(isIncluded) ?? false }.map(\.id))
            #expect(try store.count(Sample<Value>.self, where: filter) == found.count)
        }
        for value in values {
            try expect(\.value == value) { $0 == value }
            try expectPerhaps(\.perhaps == value) { $0 == value }
            guard isOrdered else { continue }
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
                let count = try store.count(Moment.self, where: filter)
                #expect(count == expected.count)
            }
        }
    }

    @Test func `are moments, two of which are none`() throws {
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

    @Test(.disabled("Foundation finds a date that is NaN at most and at least any other one"))
    func `are moments that are at most or at least another`() throws {
        try checkMoments { moment, expect in
            try expect(\.value <= moment) { $0 <= moment }
            try expect(\.value >= moment) { $0 >= moment }
            try expect(\.perhaps <= moment) { $0 <= moment }
            try expect(\.perhaps >= moment) { $0 >= moment }
        }
    }

    @Test(.disabled("what compares with nothing leaves a sort without an index in disorder"))
    func `come last if they are NaN, in every sort`() throws {
        let numbers: [Double] = [3, .nan, 1, -.nan, 2, .infinity, -1, .nan, 0, -.infinity]
        let store = try Store(inMemory: Sample<Double>.self)
        let samples = numbers.enumerated().map { Sample(id: $0, value: $1, perhaps: $1) }
        try store.write { try $0.insert(samples) }
        let ascending = [9, 6, 8, 2, 4, 0, 5, 1, 3, 7]
        let descending = [1, 3, 7, 5, 0, 4, 2, 8, 6, 9]
        let type = Sample<Double>.self
        // The second key keeps the index from giving the order.
        for byValues in [[], [Sort<Sample<Double>>.ascending(\.id)]] {
            let up = [.ascending(\.value)] + byValues
            #expect(try store.all(type, sortedBy: up).map(\.id) == ascending)
            let down = [.descending(\.perhaps)] + byValues
            #expect(try store.all(type, sortedBy: down).map(\.id) == descending)
        }
    }

    @Test func `are UUIDs`() throws {
        var random = RandomSource(seed: 77)
        try check((0..<20).map { _ in random.sender() } + [random.uuid(), random.uuid()])
    }
}

/// The index is made from what is stored, whichever type wrote it.
@Suite struct `An index over records of an older type` {
    private let folder: TemporaryFolder

    private struct Whole: Entity {
        static let entityName = "Reading"
        static let indexes: [Index<Whole>] = [.unique(\.value)]
        var id: Int
        var value: Int
    }

    private struct Real: Entity {
        static let entityName = "Reading"
        static let indexes: [Index<Real>] = [.unique(\.value), .on(\.note)]
        var id: Int
        var value: Double
        var note: String?
    }

    init() throws {
        folder = try TemporaryFolder()
        let store = try Store(at: folder.store, entities: Whole.self)
        try store.write { try $0.insert((-5..<5).map { Whole(id: $0, value: $0) }) }
        try store.close()
    }

    private func expect(_ ids: [Int], _ filter: Filter<Real>?, in store: Store) throws {
        #expect(try store.all(Real.self, where: filter, sortedBy: \.value).map(\.id) == ids)
        #expect(try store.count(Real.self, where: filter) == ids.count)
    }

    @Test func `finds integers as floats`() throws {
        let store = try Store(at: folder.store, entities: Real.self)
        try store.write { try $0.insert([Real(id: 10, value: 1.5), Real(id: 11, value: -1e300)]) }
        try expect([11] + (-5..<2) + [10] + (2..<5), nil, in: store)
        try expect([1], \.value == 1, in: store)
        try expect([10], \.value == 1.5, in: store)
        try expect([0], \.value == -0.0, in: store)
        try expect([2, 3, 4], \.value > 1.5, in: store)
        try expect([11, -5, -4], \.value < -3, in: store)
        let range = 1.0...1.5
        let predicate = #Predicate<Real> {
            $0.value >= range.lowerBound && $0.value <= range.upperBound
        }
        try expect([1, 10], Filter(predicate), in: store)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try store.write { try $0.insert(Real(id: 12, value: 3)) }
        }
        try store.close()
    }

    @Test func `takes a field that they lack for nil`() throws {
        let store = try Store(at: folder.store, entities: Real.self)
        try store.write { try $0.insert(Real(id: 10, value: 9, note: "n")) }
        try expect([10], \.note == "n", in: store)
        try expect(Array(-5..<5), \.note == nil, in: store)
        try expect([10], \.note >= "", in: store)
        let order = try store.all(Real.self, sortedBy: [.ascending(\.note)]).map(\.id)
        #expect(order == [0, 1, 2, 3, 4, -1, -2, -3, -4, -5, 10])
        try store.close()
    }

    @Test func `loses nothing when they are written again`() throws {
        let store = try Store(at: folder.store, entities: Real.self)
        try store.write { tx in
            for id in -5..<5 {
                try tx.update(Real.self, id) { $0.value += 0.5 }
                try expect([id], \.value == Double(id) + 0.5, of: tx)
                try expect([], \.value == Double(id), of: tx)
            }
        }
        try expect([3, 4], \.value >= 3, in: store)
        try store.close()
        let again = try Store(at: folder.store, entities: Real.self)
        try expect([3, 4], \.value >= 3, in: again)
        try again.close()
    }

    private func expect(
        _ ids: [Int], _ filter: Filter<Real>, of tx: borrowing WriteTransaction
    ) throws {
        let found = try tx.all(Real.self, where: filter).map(\.id)
        #expect(found == ids)
    }
}

/// Whatever the type makes of what is stored, a fetch speaks of the values that it gives.
@Suite struct `An index of a type with ideas of its own` {
    @Test(
        .disabled("the index holds nil for a field that is absent, whatever decoding makes of it"))
    func `finds the value that decoding gives to an absent field`() throws {
        struct Plain: Entity {
            static let entityName = "Film"
            var id: Int
        }
        struct Film: Entity {
            static let indexes: [Index<Film>] = [.on(\.stars)]
            var id: Int
            var stars: Int

            init(id: Int, stars: Int) {
                self.id = id
                self.stars = stars
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                stars = try container.decodeIfPresent(Int.self, forKey: .stars) ?? 3
            }
        }
        let folder = try TemporaryFolder()
        let before = try Store(at: folder.store, entities: Plain.self)
        try before.write { try $0.insert([Plain(id: 1), Plain(id: 2)]) }
        try before.close()
        let store = try Store(at: folder.store, entities: Film.self)
        try store.write { try $0.insert([Film(id: 3, stars: 3), Film(id: 4, stars: 4)]) }
        #expect(try store.all(Film.self).filter { $0.stars == 3 }.map(\.id) == [1, 2, 3])
        #expect(try store.all(Film.self, where: \.stars == 3).map(\.id) == [1, 2, 3])
        try store.close()
    }

    @Test(.disabled("a raw representable type is taken to equal by its raw value"))
    func `finds what is equal by an equality of its own`() throws {
        struct Address: RawRepresentable, Codable, Equatable, Sendable {
            var rawValue: String
            static func == (a: Address, b: Address) -> Bool {
                a.rawValue.lowercased() == b.rawValue.lowercased()
            }
        }
        struct User: Entity {
            static let indexes: [Index<User>] = [.on(\.address)]
            var id: Int
            var address: Address
        }
        let store = try Store(inMemory: User.self)
        try store.write { try $0.insert(User(id: 1, address: Address(rawValue: "a@Skyros"))) }
        let wanted = Address(rawValue: "A@skyros")
        #expect(try store.count(User.self, where: \.address == wanted) == 1)
    }

    @Test(.disabled("indexes are taken for those of the type that reads if they are as many"))
    func `is not used for a type of the same name with other indexes`() throws {
        struct Wide: Entity {
            static let entityName = "Thing"
            static let indexes: [Index<Wide>] = [.on(\.name), .on(\.rank)]
            var id: Int
            var name: String
            var rank: Int
        }
        struct Narrow: Entity {
            static let entityName = "Thing"
            static let indexes: [Index<Narrow>] = [.on(\.rank), .on(\.name)]
            var id: Int
            var name: String
            var rank: Int
        }
        let store = try Store(inMemory: Wide.self)
        try store.write { tx in
            try tx.insert((0..<9).map { Wide(id: $0, name: "n\($0 % 3)", rank: 9 - $0) })
        }
        #expect(try store.all(Narrow.self, where: \.rank == 2).map(\.id) == [7])
        #expect(try store.all(Narrow.self, where: \.name == "n1").map(\.id) == [1, 4, 7])
        #expect(
            try store.all(Narrow.self, sortedBy: \.rank).map(\.id) == (0..<9).reversed())
    }
}

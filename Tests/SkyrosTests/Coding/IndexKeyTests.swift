import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `An index key` {
    private func key(_ values: FieldValue...) throws -> ByteString {
        var key = ByteString([])
        for value in values {
            key = try value.encoded().withUnsafeBytes { try IndexKey.append($0, to: key) }
        }
        return key
    }

    /// Checks that keys are ordered as `areInIncreasingOrder` says, for all pairs.
    private func expectOrder<T>(
        _ values: [T], _ field: (T) -> FieldValue, location: SourceLocation = #_sourceLocation,
        by precedes: (T, T) -> Bool
    ) throws {
        let keys = try values.map { try key(field($0)) }
        for (a, keyA) in zip(values, keys) {
            for (b, keyB) in zip(values, keys) where precedes(a, b) != (keyA < keyB) {
                Issue.record(
                    "\(a) and \(b): \(hex(keyA.array)) and \(hex(keyB.array))",
                    sourceLocation: location)
                return
            }
        }
    }

    @Test func `of doubles has their order`() throws {
        var random = RandomSource(seed: 81)
        let values = (0..<400).map { _ in random.double() }.filter { !$0.isNaN }
        try expectOrder(values, { .double($0) }, by: <)
        #expect(try key(.double(-0.0)) == key(.double(0)))
        #expect(try key(.double(.nan)) == key(.double(-.nan)))
        #expect(try key(.double(.infinity)) < key(.double(.nan)))
    }

    @Test func `of integers has their order, whatever their size`() throws {
        var random = RandomSource(seed: 82)
        var values: [Int128] = [.min, .max, 0, 1, -1, .max - 1, .min + 1]
        for shift in 50..<127 {
            for offset in -2...2 {
                values.append((Int128(1) << Int128(shift)) + Int128(offset))
                values.append(-(Int128(1) << Int128(shift)) + Int128(offset))
            }
        }
        values += (0..<100).map { _ in
            (Int128(random.integer()) << 64 | Int128(random.below(1000)))
                >> Int128(random.below(100))
        }
        try expectOrder(values, { .integer($0) }, by: <)
    }

    @Test func `of integers beyond 127 bits has their order, too`() throws {
        let top = Data(Array(repeating: 255, count: 16))
        let below = Data(Array(repeating: 255, count: 15) + [254])
        let larger = FieldValue.tagged(2, .bytes(top))
        #expect(try key(.integer(.max)) < key(.tagged(2, .bytes(below))))
        #expect(try key(.tagged(2, .bytes(below))) < key(larger))
        #expect(try key(larger) < key(.double(0x1p128)))
        #expect(try key(.tagged(3, .bytes(below))) < key(.integer(.min)))
        #expect(try key(.double(-0x1p128)) <= key(.tagged(3, .bytes(below))))
    }

    @Test func `of integers and floats together has the order of their values`() throws {
        enum Number { case integer(Int64), double(Double) }
        var random = RandomSource(seed: 83)
        var values: [Number] = []
        for _ in 0..<150 {
            let integer = random.integer()
            values += [
                .integer(integer), .double(Double(integer)), .double(Double(integer).nextUp),
            ]
        }
        /// Exact: compares with the integer part first.
        func precedes(_ a: Int64, _ b: Double) -> Bool {
            if b >= 0x1p63 { return true }
            if b < -0x1p63 { return false }
            let whole = Int64(b.rounded(.down))
            return a < whole || (a == whole && b > b.rounded(.down))
        }
        func follows(_ a: Int64, _ b: Double) -> Bool {
            !precedes(a, b) && !(Int64(exactly: b) == a)
        }
        try expectOrder(
            values,
            { number in
                switch number {
                case .integer(let value): .integer(Int128(value))
                case .double(let value): .double(value)
                }
            },
            by: { a, b in
                switch (a, b) {
                case (.integer(let a), .integer(let b)): a < b
                case (.double(let a), .double(let b)): a < b
                case (.integer(let a), .double(let b)): precedes(a, b)
                case (.double(let a), .integer(let b)): follows(b, a)
                }
            })
        #expect(try key(5) == key(5.0))
        #expect(try key(.integer(1 << 60)) == key(.double(0x1p60)))
    }

    @Test func `of texts is equal where Swift's strings are (F67)`() throws {
        var random = RandomSource(seed: 84)
        var values = (0..<350).map { _ in random.text() }
        values += [
            "", "\0", "\0\0", "\u{1}", "a", "a\0", "a\u{1}", "ab", "é", "e\u{301}", "Å", "\u{212B}",
            "각", "q\u{323}\u{307}", "q\u{307}\u{323}", "\u{30F}",
        ]
        values = values.filter { NormalForm(of: $0) != .doubtful }
        let keys = try values.map { try key(.text($0)) }
        for (a, keyA) in zip(values, keys) {
            for (b, keyB) in zip(values, keys) {
                if (a == b) != (keyA == keyB) { Issue.record("\(a) \(b)") }
            }
        }
    }

    @Test func `of texts in normal form has their order`() throws {
        var random = RandomSource(seed: 87)
        let values = (0..<700).map { _ in random.text() }.filter { NormalForm(of: $0) == .normal }
        try expectOrder(values, { .text($0) }, by: <)
        try expectOrder(
            values, { .text($0) }, by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func `of bytes and ids has their order`() throws {
        var random = RandomSource(seed: 85)
        let strings = (0..<200).map { _ in
            (0..<random.below(6)).map { _ in [0, 1, 2, 255][random.below(4)] as UInt8 }
        }
        try expectOrder(strings, { .bytes(Data($0)) }, by: { $0.lexicographicallyPrecedes($1) })
        let ids = (0..<100).map { _ in random.uuid() }
        try expectOrder(ids, { .uuid($0) }, by: { $0.uuidString < $1.uuidString })
    }

    @Test func `of dates has their order`() throws {
        var random = RandomSource(seed: 86)
        let dates = (0..<300).map { _ in random.double() }.filter { !$0.isNaN }
            .map { Date(timeIntervalSinceReferenceDate: $0) }
        try expectOrder(dates, { .date($0) }, by: <)
        // A range of dates has no place for what is none, whatever its sign.
        let none = [Double.nan, -.nan].map { Date(timeIntervalSinceReferenceDate: $0) }
        let last = try key(.date(Date(timeIntervalSinceReferenceDate: .infinity)))
        #expect(try key(.date(none[0])) == key(.date(none[1])))
        #expect(try key(.date(none[0])).array[0] != last.array[0])
    }

    @Test func `ranks values of different kinds`() throws {
        let ranked: [FieldValue] = [
            .null, false, true, -1, .double(.infinity), .double(.nan), "", "a", .bytes(Data()),
            .uuid(UUID()), .date(Date(timeIntervalSinceReferenceDate: .infinity)),
            .date(Date(timeIntervalSinceReferenceDate: .nan)), [],
        ]
        let keys = try ranked.map { try key($0) }
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == keys.count)
    }

    @Test func `of several fields compares them in turn`() throws {
        var random = RandomSource(seed: 87)
        let values = (0..<250).map { _ in
            (["", "a", "a\0", "ab", "b"][random.below(5)], random.below(3) - 1, random.text())
        }.filter { NormalForm(of: $0.2) == .normal }
        let keys = try values.map { try key(.text($0.0), .integer(Int128($0.1)), .text($0.2)) }
        for (a, keyA) in zip(values, keys) {
            for (b, keyB) in zip(values, keys) where a < b { #expect(keyA < keyB) }
        }
    }

    @Test func `is made from a record's bytes`() throws {
        let record = try Fields([
            "name": "Nonna", "stars": 3, "a field with a long name": 1.5, "nothing": .null,
            "names": 1,
            "a field with a long namf": 2,
        ]).bytes
        func make(_ fields: IndexField...) throws -> ByteString {
            try record.withUnsafeBytes { try IndexKey.make(fields: fields, record: $0) }
        }
        #expect(try make("name") == key("Nonna"))
        #expect(try make("stars", "name") == key(3, "Nonna"))
        #expect(try make("a field with a long name", "name", "stars") == key(1.5, "Nonna", 3))
        #expect(try make("name", "name") == key("Nonna", "Nonna"))
        #expect(try make("nothing", "absent") == key(.null, .null))
        #expect(try make("nam") == key(.null))
        #expect(try make() == ByteString([]))
        #expect(hex(try make("name").array) == "204e6f6e6e6100")
        #expect(hex(try make("stars").array) == "10c00800000000000000")
        #expect(hex(try make("absent").array) == "00")
    }

    @Test func `of other values is good for equality`() throws {
        let url = FieldValue.tagged(32, "a:b")
        #expect(try key(url) == key(url))
        #expect(try key(url) != key(.tagged(32, "a:c")))
        #expect(try key(["a": [0, 1]]) != key(["a": [1, 0]]))
        #expect(hex(try key([0, 1]).array) == "40" + "82" + "0101" + "0102" + "00")
    }

    @Test func `has an upper bound for its prefixes`() throws {
        var random = RandomSource(seed: 88)
        for _ in 0..<500 {
            let prefix = (0..<random.below(4)).map { _ in
                [0, 1, 254, 255][random.below(4)] as UInt8
            }
            let rest = (0..<random.below(4)).map { _ in [0, 1, 254, 255][random.below(4)] as UInt8 }
            let bound = IndexKey.upperBound(ofPrefix: prefix)
            guard !bound.isEmpty else {
                #expect(prefix.allSatisfy { $0 == 255 })
                continue
            }
            #expect((prefix + rest).lexicographicallyPrecedes(bound))
            #expect(!bound.starts(with: prefix))
            #expect(bound.count <= prefix.count)
        }
    }

    @Test func `of text that is not UTF-8 is refused`() {
        #expect(throws: CBORError.self) {
            try bytes("62cc28").withUnsafeBytes { try IndexKey.append($0, to: ByteString([])) }
        }
    }
}

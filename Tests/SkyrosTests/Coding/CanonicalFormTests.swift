import Foundation
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The canonical form` {
    private enum Color: String, Codable, CaseIterable { case red, green, blue }
    private enum Level: Int, Codable, CodingKeyRepresentable { case low = 1, high = 10 }
    private struct Point: Codable, Hashable { var y: Int; var x: Int }

    @Test func `is what cbor2 writes`() throws {
        struct Record: Encodable {
            var name = "Nonna"
            var id = UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff")
            var stars = 3
            var rating = 4.5
            var tags = ["a", "b"]
            var big = Int128(1) << 70
            var neg = -(Int128(1) << 70)
            var long = 1

            enum CodingKeys: String, CodingKey {
                case name, id, stars, rating, closed, tags, big, neg
                case long = "long name of a field here"
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
                try container.encode(id, forKey: .id)
                try container.encode(stars, forKey: .stars)
                try container.encode(rating, forKey: .rating)
                try container.encodeNil(forKey: .closed)
                try container.encode(tags, forKey: .tags)
                try container.encode(big, forKey: .big)
                try container.encode(neg, forKey: .neg)
                try container.encode(long, forKey: .long)
            }
        }
        // As CBOR: cbor2.dumps({…}, canonical=True)
        #expect(
            hex(try CBOREncoder().encode(Record()))
                == "a9626964d8255000112233445566778899aabbccddeeff63626967c249400000000000000000"
                + "636e6567c3493fffffffffffffffff646e616d65654e6f6e6e616474616773826161616265737461"
                + "72730366636c6f736564f666726174696e67f9448078196c6f6e67206e616d65206f662061206669"
                + "656c64206865726501")
    }

    @Test func `orders sets by the elements' bytes`() throws {
        #expect(hex(try CBOREncoder().encode(Set([10, 1, 100, -1]))) == "84010a18" + "6420")
        #expect(hex(try CBOREncoder().encode(Set(["b", "aa", "a"]))) == "8361616162626161")
        let points: Set<Point> = [Point(y: 2, x: 1), Point(y: 1, x: 2)]
        #expect(hex(try CBOREncoder().encode(points)) == "82a2617801617902a2617802617901")
        #expect(try roundTrip(points) == points)
        #expect(hex(try CBOREncoder().encode(Set<Int>())) == "80")
    }

    @Test func `orders sets wherever they are`() throws {
        enum Holder: Codable, Equatable { case of(Set<String>), pair([UUID: Int], Int) }
        let set: Set<String> = ["b", "aa", "a"]
        let expected = "8361616162626161"
        #expect(hex(try CBOREncoder().encode([set])) == "81" + expected)
        #expect(hex(try CBOREncoder().encode(["k": set])) == "a1616b" + expected)
        #expect(hex(try CBOREncoder().encode(Optional(set))) == expected)
        #expect(hex(try CBOREncoder().encode([Optional(set)])) == "81" + expected)
        #expect(hex(try CBOREncoder().encode([[set]: 1])) == "8281" + expected + "01")
        #expect(hex(try CBOREncoder().encode(Holder.of(set))) == "a1626f66a1625f30" + expected)
        #expect(try roundTrip(Holder.of(set)) == .of(set))
        #expect(hex(try CBOREncoder().encode(Set([set]))) == "81" + expected)
    }

    /// Offsets have 32 bits; the test has a lower limit.
    @Test func `of a set whose offsets overflow is refused`() {
        var state = EncodingState()
        _ = state.pushFrame(.array, depth: 0)
        state.writer.reserve(11)
        state.writer.advance(by: 11)
        let error = failure(as: CBORError.self) { try state.finishUnordered(bytesMax: 10) }
        #expect(error == CBORError(.tooLarge, at: 0))
    }

    @Test func `has text keys for dictionaries where the standard library has`() throws {
        #expect(
            hex(try CBOREncoder().encode(["b": 1, "a": 2, "aa": 3])) == "a36161026162016261"
                + "6103")
        #expect(hex(try CBOREncoder().encode([10: 1, 9: 2])) == "a261390262313001")
        #expect(hex(try CBOREncoder().encode([Level.high: 1, .low: 2])) == "a261310262313001")
        #expect(try roundTrip([10: 1, 9: 2, -1: 3]) == [10: 1, 9: 2, -1: 3])
        #expect(try roundTrip([Level.high: "h"]) == [Level.high: "h"])
    }

    @Test func `has pairs in order for all other dictionaries`() throws {
        let ids: [UUID: Int] = [
            UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)): 2,
            UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)): 1,
        ]
        let zeros = String(repeating: "0", count: 30)
        #expect(
            hex(try CBOREncoder().encode(ids))
                == "84d8255001" + zeros + "01d8255002" + zeros + "02")
        #expect(try roundTrip(ids) == ids)
        #expect(
            hex(try CBOREncoder().encode([Color.red: 1, .blue: 2])) == "84637265640164626c756502")
        let points = [Point(y: 1, x: 1): "a", Point(y: 0, x: 9): "b"]
        #expect(try roundTrip(points) == points)
        #expect(try roundTrip([true: [1.5: Set([UInt8(1)])]]) == [true: [1.5: Set([1])]])
        #expect(hex(try CBOREncoder().encode([true: 1, false: 0])) == "84f400f501")
    }

    @Test func `does not depend on the order of insertion`() throws {
        var random = RandomSource(seed: 21)
        for count in [2, 10, 30, 200] {
            var ids = (0..<count).map { _ in random.uuid() }
            let set = try CBOREncoder().encode(Set(ids))
            let map = try CBOREncoder().encode(
                Dictionary(uniqueKeysWithValues: ids.map { ($0, $0) }))
            let text = try CBOREncoder().encode(
                Dictionary(uniqueKeysWithValues: ids.map { ($0.uuidString, 1) }))
            for _ in 0..<5 {
                ids.shuffle(using: &random)
                var shuffled = Set<UUID>(minimumCapacity: random.below(1000))
                for id in ids { shuffled.insert(id) }
                #expect(try CBOREncoder().encode(shuffled) == set)
                var table: [UUID: UUID] = Dictionary(minimumCapacity: random.below(1000))
                for id in ids { table[id] = id }
                #expect(try CBOREncoder().encode(table) == map)
                var texts: [String: Int] = Dictionary(minimumCapacity: random.below(1000))
                for id in ids { texts[id.uuidString] = 1 }
                #expect(try CBOREncoder().encode(texts) == text)
            }
        }
    }

    @Test func `orders keys like a sort of their encodings`() throws {
        var random = RandomSource(seed: 22)
        for count in [1, 2, 5, 23, 24, 25, 60, 255, 256, 300] {
            var table: [String: Int] = [:]
            while table.count < count {
                let prefix = String(repeating: "k", count: [0, 0, 3, 8, 20, 300][random.below(6)])
                table[prefix + "\(random.below(1_000_000))"] = table.count
            }
            let encoded = try CBOREncoder().encode(table)
            var keys: [[UInt8]] = []
            try encoded.withUnsafeBytes { buffer in
                var fields = try MapEntries(buffer)
                #expect(fields.count == count)
                while let field = try fields.next() {
                    keys.append([UInt8](buffer[field.start..<field.value.lowerBound]))
                }
            }
            let reference = try table.keys.map { try CBOREncoder().encode($0) }
                .sorted { $0.lexicographicallyPrecedes($1) }
            #expect(keys == reference)
            #expect(try FieldValue(table).encoded() == encoded)
            #expect(try roundTrip(table) == table)
        }
    }

    @Test func `of dates and other scalars is fixed`() throws {
        #expect(
            hex(try CBOREncoder().encode(Date(timeIntervalSinceReferenceDate: 0))) == "d9da7ef90000"
        )
        #expect(
            hex(try CBOREncoder().encode(Date(timeIntervalSinceReferenceDate: 700_000_000.25)))
                == "d9da7efb41c4dc9380200000")
        #expect(hex(try CBOREncoder().encode(Data([1, 2]))) == "420102")
        #expect(hex(try CBOREncoder().encode(Sample.Shape.point)) == "a165706f696e74a0")
        #expect(hex(try CBOREncoder().encode([Sample.Kind.small])) == "8165736d616c6c")
    }

    @Test func `keeps what a writer had before`() throws {
        var writer = CBORWriter()
        writer.append(text: "x")
        try CBOREncoder().append([1], to: &writer)
        #expect(throws: EncodingError.self) { try CBOREncoder().append(Deep.max, to: &writer) }
        try CBOREncoder().append(2, to: &writer)
        #expect(hex(writer.array) == "6178" + "8101" + "02")
    }

    private enum Deep {
        static var max: Custom {
            Custom { encoder in
                var container = encoder.unkeyedContainer()
                try container.encode(Deep.max)
            }
        }
    }
}

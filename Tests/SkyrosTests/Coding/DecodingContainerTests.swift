import Foundation
import TestSupport
import Testing

@testable import Skyros

/// A value that decodes itself as the closure in the decoder's user info says.
private struct Probe: Decodable {
    typealias Body = @Sendable (any Decoder) throws -> Void

    init(from decoder: any Decoder) throws {
        let body = try #require(decoder.userInfo.values.compactMap { $0 as? Body }.first)
        try body(decoder)
    }
}

private func decode(_ value: FieldValue, _ body: @escaping Probe.Body) throws {
    let key = try #require(CodingUserInfoKey(rawValue: "body"))
    _ = try CBORDecoder(userInfo: [key: body]).decode(Probe.self, from: value.encoded())
}

@Suite struct `A decoding container` {
    @Test func `gives nested containers and super decoders`() throws {
        let value: FieldValue = [
            "map": ["a": 1], "list": [1, [2, 3], ["k": "v"], .null, "end"], "super": ["s": true],
        ]
        try decode(value) { decoder in
            let outer = try decoder.container(keyedBy: Name.self)
            #expect(Set(outer.allKeys.map(\.stringValue)) == ["map", "list", "super"])
            let map = try outer.nestedContainer(keyedBy: Name.self, forKey: "map")
            #expect(try map.decode(Int.self, forKey: "a") == 1)
            var list = try outer.nestedUnkeyedContainer(forKey: "list")
            #expect(list.count == 5)
            #expect(try list.decode(Int.self) == 1)
            var inner = try list.nestedUnkeyedContainer()
            #expect(try inner.decode(Int.self) == 2)
            #expect(try inner.superDecoder().singleValueContainer().decode(Int.self) == 3)
            #expect(inner.isAtEnd)
            let table = try list.nestedContainer(keyedBy: Name.self)
            #expect(try table.decode(String.self, forKey: "k") == "v")
            #expect(list.currentIndex == 3)
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            #expect(list.currentIndex == 3)
            #expect(try list.decodeNil())
            #expect(try !list.decodeNil())
            #expect(try list.decode(String.self) == "end")
            #expect(list.isAtEnd)
            #expect(throws: DecodingError.self) { try list.decode(String.self) }
            #expect(throws: DecodingError.self) { try list.decodeNil() }
            let parent = try outer.superDecoder().container(keyedBy: Name.self)
            #expect(try parent.decode(Bool.self, forKey: "s"))
            #expect(throws: DecodingError.self) { try map.superDecoder() }
        }
    }

    @Test func `tells absent from null`() throws {
        try decode(["null": .null, "value": 1]) { decoder in
            let container = try decoder.container(keyedBy: Name.self)
            #expect(container.contains("null"))
            #expect(!container.contains("absent"))
            #expect(try container.decodeNil(forKey: "null"))
            #expect(try !container.decodeNil(forKey: "value"))
            #expect(throws: DecodingError.self) { try container.decodeNil(forKey: "absent") }
            #expect(try container.decodeIfPresent(Int.self, forKey: "null") == nil)
            #expect(try container.decodeIfPresent(Int.self, forKey: "absent") == nil)
            #expect(try container.decodeIfPresent(Int.self, forKey: "value") == 1)
            #expect(try container.decodeIfPresent(Date.self, forKey: "null") == nil)
            #expect(try container.decode(Int?.self, forKey: "null") == nil)
            #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: "null") }
            let error = #expect(throws: DecodingError.self) {
                try container.decode(Int.self, forKey: "absent")
            }
            guard case .keyNotFound(let key, _) = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
            #expect(key.stringValue == "absent")
        }
    }

    @Test func `finds every key of maps of any size`() throws {
        var random = RandomSource(seed: 11)
        for count in [0, 1, 2, 23, 24, 25, 26, 100, 1_000] {
            var fields: NamedValues<Int> = [:]
            while fields.count < count {
                let length = random.below(40)
                let name = String((0..<length).map { _ in "abcé"[random.below(4)] })
                fields[name] = fields.count
            }
            let value = FieldValue.map(fields.mapValues { .integer(Int128($0)) })
            let expected = fields
            try decode(value) { decoder in
                let container = try decoder.container(keyedBy: Name.self)
                for (name, index) in expected {
                    let key = Name(stringValue: name)
                    #expect(try container.decode(Int.self, forKey: key) == index)
                    let other = name + "x"
                    #expect(!container.contains(Name(stringValue: other)))
                }
            }
        }
    }

    @Test func `reads maps whose keys are not in order`() throws {
        struct Pair: Codable, Equatable { var a: Int; var bb: Int; var longest: Int }
        // As CBOR: {"longest": 3, "bb": 2, "a": 1}
        let decoded = try CBORDecoder().decode(
            Pair.self, from: bytes("a3676c6f6e676573740362626202616101"))
        #expect(decoded == Pair(a: 1, bb: 2, longest: 3))
        // Keys with heads longer than need be.
        #expect(
            try CBORDecoder().decode([String: Int].self, from: bytes("a2780161017900016202"))
                == ["a": 1, "b": 2])
    }

    @Test func `has its coding path`() throws {
        @Sendable func names(_ path: [any CodingKey]) -> [String] { path.map(\.stringValue) }
        try decode(["a": 1, "list": [0, ["deep": ["key": [:]]]]]) { decoder in
            #expect(decoder.codingPath.isEmpty)
            let outer = try decoder.container(keyedBy: Name.self)
            var list = try outer.nestedUnkeyedContainer(forKey: "list")
            #expect(names(list.codingPath) == ["list"])
            _ = try list.decode(Int.self)
            let map = try list.nestedContainer(keyedBy: Name.self)
            #expect(names(map.codingPath) == ["list", "Index 1"])
            let deep = try map.superDecoder(forKey: "deep")
            #expect(names(deep.codingPath) == ["list", "Index 1", "deep"])
        }
    }

    @Test func `searches for a coding path from where the last search ended`() throws {
        var encoded = try FieldValue.array(["text", ["a": 1, "b": [2, 3]]]).encoded()
        let last = encoded.count - 1
        var search = CodingPathSearch()
        func path(to target: Int) -> [String] {
            encoded.withUnsafeBytes { search.path(to: target, in: $0).map(\.stringValue) }
        }
        #expect(path(to: last - 1) == ["Index 1", "b", "Index 0"])
        // Neither the text nor the key "a" is read again.
        for offset in [1, 7] { encoded[offset] = 0xFF }
        #expect(path(to: last) == ["Index 1", "b", "Index 1"])
        search.reset()
        #expect(path(to: last) == [])
    }

    @Test func `finds the same coding paths in any order`() throws {
        var random = RandomSource(seed: 51)
        for _ in 0..<100 {
            let encoded = try FieldValue.map(random.fields(depth: 4)).encoded()
            encoded.withUnsafeBytes { bytes in
                var search = CodingPathSearch()
                for _ in 0..<100 {
                    let target = random.below(bytes.count + 2)
                    var fresh = CodingPathSearch()
                    let path = search.path(to: target, in: bytes).map(\.stringValue)
                    #expect(path == fresh.path(to: target, in: bytes).map(\.stringValue))
                }
            }
        }
    }

    @Test func `throws when it outlives its call`() throws {
        // Unchecked because it is filled and read by one test on one thread.
        final class Escaped: @unchecked Sendable {
            var decoder: (any Decoder)?
            var keyed: KeyedDecodingContainer<Name>?
            var list: (any UnkeyedDecodingContainer)?
        }
        let escaped = Escaped()
        try decode(["a": 1, "list": [1]]) { decoder in
            escaped.decoder = decoder
            escaped.keyed = try decoder.container(keyedBy: Name.self)
            escaped.list = try escaped.keyed?.nestedUnkeyedContainer(forKey: "list")
        }
        @Sendable func check() {
            #expect(throws: DecodingError.self) { try escaped.keyed?.decode(Int.self, forKey: "a") }
            #expect(escaped.keyed?.allKeys.isEmpty == true)
            #expect(throws: DecodingError.self) { try escaped.list?.decode(Int.self) }
            #expect(throws: DecodingError.self) {
                try escaped.decoder?.container(keyedBy: Name.self)
            }
            #expect(throws: DecodingError.self) { try escaped.decoder?.unkeyedContainer() }
        }
        check()
        try decode(["a": 2, "list": [2]]) { decoder in
            let container = try decoder.container(keyedBy: Name.self)
            check()
            #expect(try container.decode(Int.self, forKey: "a") == 2)
        }
    }

    @Test func `may call the decoder again`() throws {
        let inner = try CBOREncoder().encode(Sample.filled)
        try decode(["a": .bytes(Data(inner)), "b": 2]) { decoder in
            let container = try decoder.container(keyedBy: Name.self)
            let data = try container.decode(Data.self, forKey: "a")
            #expect(try CBORDecoder().decode(Sample.self, from: [UInt8](data)) == Sample.filled)
            #expect(try container.decode(Int.self, forKey: "b") == 2)
        }
    }

    @Test func `serves many threads concurrently`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask { () throws in
                    var random = RandomSource(seed: UInt64(seed))
                    for _ in 0..<200 {
                        var sample = Sample.filled
                        sample.text = random.text()
                        sample.list = (0..<random.below(30)).map { _ in random.below(1000) }
                        #expect(try roundTrip(sample) == sample)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension String {
    fileprivate subscript(index: Int) -> Character {
        self[self.index(startIndex, offsetBy: index)]
    }
}

@Suite struct `Deep nesting` {
    final class Node: Codable {
        var next: Node?
        init(depth: Int) { next = depth > 1 ? Node(depth: depth - 1) : nil }
    }

    /// Nests calls without nesting bytes, for ever.
    struct Endless: Codable {
        init() {}
        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(Endless.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    private func arrays(_ depth: Int) -> [UInt8] {
        Array(repeating: 0x81, count: depth) + [0x01]
    }

    @Test func `is kept up to the limit`() throws {
        let node = Node(depth: 128)
        let encoded = try CBOREncoder().encode(node)
        _ = try CBORDecoder().decode(Node.self, from: encoded)
        #expect(try FieldValue(cbor: encoded).encoded() == encoded)
        _ = try FieldValue(cbor: arrays(128))
        _ = try CBORDecoder().decode(Anything.self, from: arrays(128))
    }

    @Test func `is refused beyond it`() throws {
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Node(depth: 129)) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Node(depth: 1_000)) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Endless()) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(Endless.self, from: [0x01]) }
        for depth in [129, 1_000, 1_000_000] {
            #expect(throws: CBORError.self) { try FieldValue(cbor: arrays(depth)) }
            #expect(throws: DecodingError.self) {
                try CBORDecoder().decode(Anything.self, from: arrays(depth))
            }
        }
        var value: FieldValue = 1
        for _ in 0..<128 { value = [value] }
        _ = try value.encoded()
        #expect(throws: CBORError.self) { try FieldValue.array([value]).encoded() }
        #expect(throws: CBORError.self) { try FieldValue.tagged(9, value).encoded() }
    }

    @Test func `fits the stack of a secondary thread`() async {
        // 512 KiB, as threads of Apple's platforms have.
        let succeeded = await withCheckedContinuation { continuation in
            let thread = Thread {
                let node = try? CBOREncoder().encode(Node(depth: 128))
                let decoded = try? CBORDecoder().decode(Node.self, from: node ?? [])
                let value = try? FieldValue(cbor: arrays(128))
                let endless = try? CBOREncoder().encode(Endless())
                let endlessly = try? CBORDecoder().decode(Endless.self, from: [0x01])
                let isRight = endless == nil && endlessly == nil
                continuation.resume(returning: decoded != nil && value != nil && isRight)
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(succeeded)
    }

    @Test func `counts tags as levels, too`() throws {
        func nest(
            _ depth: Int, _ innermost: @escaping (inout any UnkeyedEncodingContainer) throws -> Void
        ) throws -> [UInt8] {
            func custom(_ left: Int) -> Custom {
                Custom { encoder in
                    var container = encoder.unkeyedContainer()
                    if left == 1 {
                        try innermost(&container)
                    } else {
                        try container.encode(custom(left - 1))
                    }
                }
            }
            return try CBOREncoder().encode(custom(depth))
        }
        _ = try FieldValue(cbor: nest(127) { try $0.encode(UUID()) })
        #expect(throws: EncodingError.self) { try nest(128) { try $0.encode(UUID()) } }
        _ = try FieldValue(cbor: nest(125) { try $0.encode(Decimal.pi) })
        #expect(throws: EncodingError.self) { try nest(126) { try $0.encode(Decimal.pi) } }
        _ = try FieldValue(cbor: nest(127) { try $0.encode(Int128.max) })
        #expect(throws: EncodingError.self) { try nest(128) { try $0.encode(UInt128.max) } }
        // Containers that cannot throw when they are asked for.
        #expect(throws: EncodingError.self) { try nest(128) { _ = $0.nestedUnkeyedContainer() } }
    }
}

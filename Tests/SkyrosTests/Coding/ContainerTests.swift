import Foundation
import Testing

@testable import Skyros

/// A coding key of any name.
struct Name: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A value that encodes itself as its closure says.
struct Custom: Encodable {
    let body: (any Encoder) throws -> Void

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

private func encoded(_ body: @escaping (any Encoder) throws -> Void) throws -> FieldValue {
    let bytes = try CBOREncoder().encode(Custom(body: body))
    let value = try FieldValue(cbor: bytes)
    #expect(try value.encoded() == bytes)
    return value
}

@Suite struct `An encoding container` {
    private enum OtherKeys: String, CodingKey { case text }

    @Test func `may be interleaved with others`() throws {
        let value = try encoded { encoder in
            var outer = encoder.container(keyedBy: Name.self)
            var first = outer.nestedContainer(keyedBy: Name.self, forKey: "first")
            try outer.encode(1, forKey: "zz")
            var second = outer.nestedUnkeyedContainer(forKey: "b")
            try first.encode("x", forKey: "long key")
            try second.encode(1)
            try outer.encode([1, 2], forKey: "a")
            var third = second.nestedContainer(keyedBy: Name.self)
            try second.encode(2)
            var fourth = second.nestedUnkeyedContainer()
            var fifth = second.nestedUnkeyedContainer()
            try fifth.encode("5")
            try fourth.encode("4")
            try third.encode("3", forKey: "t")
            try first.encode("y", forKey: "k")
            try second.encode(3)
            #expect(second.count == 6)
        }
        #expect(
            value == [
                "first": ["long key": "x", "k": "y"], "zz": 1, "a": [1, 2],
                "b": [1, ["t": "3"], 2, ["4"], ["5"], 3],
            ])
    }

    @Test func `may be asked for several times by one value`() throws {
        let value = try encoded { encoder in
            var one = encoder.container(keyedBy: Name.self)
            try one.encode(1, forKey: "one")
            var two = encoder.container(keyedBy: OtherKeys.self)
            try two.encode("t", forKey: .text)
            try one.encode(3, forKey: "three")
        }
        #expect(value == ["one": 1, "text": "t", "three": 3])
        let list = try encoded { encoder in
            var one = encoder.unkeyedContainer()
            try one.encode(1)
            var two = encoder.unkeyedContainer()
            try two.encode(2)
            try one.encode(3)
        }
        #expect(list == [1, 2, 3])
    }

    @Test func `is the same one if it is requested again for a key`() throws {
        let value = try encoded { encoder in
            var outer = encoder.container(keyedBy: Name.self)
            var map = outer.nestedContainer(keyedBy: Name.self, forKey: "map")
            var list = outer.nestedUnkeyedContainer(forKey: "list")
            try map.encode(1, forKey: "a")
            try list.encode(1)
            try outer.encode("x", forKey: "other")
            var otherMap = outer.nestedContainer(keyedBy: OtherKeys.self, forKey: "map")
            var otherList = outer.nestedUnkeyedContainer(forKey: "list")
            try otherMap.encode("t", forKey: .text)
            try otherList.encode(2)
            try list.encode(3)
            try map.encode(2, forKey: "b")
            try ["s": 1].encode(to: outer.superEncoder())
            try ["t": 2].encode(to: outer.superEncoder())
            _ = outer.nestedContainer(keyedBy: Name.self, forKey: "map, not the one before")
        }
        #expect(
            value == [
                "map": ["a": 1, "b": 2, "text": "t"], "list": [1, 2, 3], "other": "x",
                "super": ["s": 1, "t": 2], "map, not the one before": [:],
            ])
    }

    @Test func `is refused rather than lost if its key gets another value`() throws {
        func encode(
            _ body: @escaping (inout KeyedEncodingContainer<Name>) throws -> Void
        ) throws {
            _ = try encoded { encoder in
                var outer = encoder.container(keyedBy: Name.self)
                var list = outer.nestedUnkeyedContainer(forKey: "list")
                try list.encode(1)
                try body(&outer)
            }
        }
        let error = #expect(throws: EncodingError.self) {
            try encode { try $0.encode(2, forKey: "list") }
        }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["list"])
        #expect(throws: EncodingError.self) {
            try encode { _ = $0.nestedContainer(keyedBy: Name.self, forKey: "list") }
        }
        #expect(throws: EncodingError.self) {
            try encode { try 2.encode(to: $0.superEncoder(forKey: "list")) }
        }
    }

    @Test func `lets the last value of a key win`() throws {
        let value = try encoded { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(1, forKey: "b")
            try container.encode(2, forKey: "a")
            try container.encode("long", forKey: "a long key, longer than a word")
            try container.encode(3, forKey: "b")
            try container.encode([4], forKey: "b")
            try container.encode("other", forKey: "a long key, longer than a word")
        }
        #expect(value == ["a": 2, "b": [4], "a long key, longer than a word": "other"])
        let ascending = try encoded { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(1, forKey: "a")
            try container.encode(2, forKey: "a")
            try container.encode(3, forKey: "b")
        }
        #expect(ascending == ["a": 2, "b": 3])
    }

    @Test func `may stay empty`() throws {
        #expect(try encoded { _ in } == [:])
        #expect(try encoded { _ = $0.container(keyedBy: Name.self) } == [:])
        #expect(try encoded { _ = $0.unkeyedContainer() } == [])
        let value = try encoded { encoder in
            var container = encoder.container(keyedBy: Name.self)
            _ = container.nestedContainer(keyedBy: Name.self, forKey: "map")
            _ = container.nestedUnkeyedContainer(forKey: "list")
            _ = container.superEncoder(forKey: "other")
            _ = container.superEncoder()
        }
        #expect(value == ["map": [:], "list": [], "other": [:], "super": [:]])
    }

    @Test func `tells null from absent`() throws {
        let value = try encoded { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encodeNil(forKey: "null")
            try container.encodeIfPresent(Int?.none, forKey: "absent")
            try container.encode(Int?.none, forKey: "none")
        }
        #expect(value == ["null": .null, "none": .null])
    }

    @Test func `gives super encoders for every kind of value`() throws {
        let value = try encoded { encoder in
            var list = encoder.unkeyedContainer()
            try [1].encode(to: list.superEncoder())
            try "two".encode(to: list.superEncoder())
            try ["three": 3].encode(to: list.superEncoder())
            try list.encode(4)
        }
        #expect(value == [[1], "two", ["three": 3], 4])
    }

    @Test func `continues after a value that failed`() throws {
        struct Refused: Error {}
        let failing = Custom { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encode("some", forKey: "text")
            var nested = container.nestedUnkeyedContainer(forKey: "nested")
            try nested.encode(1)
            throw Refused()
        }
        let value = try encoded { encoder in
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(1, forKey: "a")
            var list = container.nestedUnkeyedContainer(forKey: "list")
            #expect(throws: Refused.self) { try container.encode(failing, forKey: "b") }
            #expect(throws: Refused.self) { try container.encode([failing], forKey: "c") }
            try list.encode(1)
            #expect(throws: Refused.self) { try list.encode(failing) }
            try list.encode(2)
            try container.encode(3, forKey: "d")
        }
        #expect(value == ["a": 1, "list": [1, 2], "d": 3])
    }

    @Test func `throws when it is used in the wrong way`() throws {
        #expect(throws: EncodingError.self) {
            try encoded { encoder in
                _ = encoder.container(keyedBy: Name.self)
                _ = encoder.unkeyedContainer()
            }
        }
        #expect(throws: EncodingError.self) {
            try encoded { encoder in
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        #expect(throws: EncodingError.self) {
            try encoded { encoder in
                var outer = encoder.container(keyedBy: Name.self)
                let inner = Custom { _ in try outer.encode(1, forKey: "a") }
                var other = encoder.container(keyedBy: Name.self)
                try other.encode(inner, forKey: "b")
            }
        }
    }

    @Test func `throws when it outlives its call`() throws {
        var keyed: KeyedEncodingContainer<Name>?
        var nested: (any UnkeyedEncodingContainer)?
        var encoder: (any Encoder)?
        _ = try encoded { inner in
            encoder = inner
            keyed = inner.container(keyedBy: Name.self)
            nested = keyed?.nestedUnkeyedContainer(forKey: "list")
        }
        #expect(throws: EncodingError.self) { try keyed?.encode(1, forKey: "a") }
        #expect(throws: EncodingError.self) { try nested?.encode(1) }
        #expect(throws: EncodingError.self) { try encoder.map { try 1.encode(to: $0) } }
        // Another call has the same memory.
        _ = try encoded { inner in
            var container = inner.unkeyedContainer()
            #expect(throws: EncodingError.self) { try keyed?.encode(1, forKey: "a") }
            #expect(throws: EncodingError.self) { try nested?.encode(1) }
            try container.encode(1)
        }
    }

    @Test func `has its coding path`() throws {
        func names(_ path: [any CodingKey]) -> [String] { path.map(\.stringValue) }
        let innermost = Custom { encoder in
            #expect(names(encoder.codingPath) == ["list", "Index 1", "deep", "key"])
            let container = encoder.container(keyedBy: Name.self)
            #expect(names(container.codingPath) == ["list", "Index 1", "deep", "key"])
        }
        _ = try encoded { encoder in
            #expect(encoder.codingPath.isEmpty)
            var outer = encoder.container(keyedBy: Name.self)
            try outer.encode(1, forKey: "first")
            var list = outer.nestedUnkeyedContainer(forKey: "list")
            try outer.encode(1, forKey: "other")
            #expect(names(list.codingPath) == ["list"])
            try list.encode(0)
            var map = list.nestedContainer(keyedBy: Name.self)
            try map.encode(["key": innermost], forKey: "deep")
        }
    }

    @Test func `passes the user info on`() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "answer"))
        let value = Custom { encoder in
            var container = encoder.container(keyedBy: Name.self)
            #expect(encoder.userInfo[key] as? Int == 42)
            #expect(container.superEncoder().userInfo[key] as? Int == 42)
        }
        _ = try CBOREncoder(userInfo: [key: 42]).encode(value)
        struct Reader: Decodable {
            let answer: Int?
            init(from decoder: any Decoder) throws {
                let info = decoder.userInfo.first { $0.key.rawValue == "answer" }
                answer = info?.value as? Int
            }
        }
        #expect(try CBORDecoder(userInfo: [key: 42]).decode(Reader.self, from: [0x00]).answer == 42)
        #expect(try CBORDecoder().decode(Reader.self, from: [0x00]).answer == nil)
    }

    @Test func `may call the encoder again`() throws {
        let value = try encoded { encoder in
            var container = encoder.container(keyedBy: Name.self)
            let inner = try CBOREncoder().encode(Sample.filled)
            #expect(try CBORDecoder().decode(Sample.self, from: inner) == Sample.filled)
            try container.encode(Data(inner), forKey: "inner")
            try container.encode(1, forKey: "a")
        }
        #expect(value["inner"]?.bytes == Data(try CBOREncoder().encode(Sample.filled)))
    }
}

@Suite struct `A class hierarchy` {
    class Animal: Codable {
        var name: String
        init(name: String) { self.name = name }
    }

    /// Encodes its superclass under the key "super".
    final class Dog: Animal {
        var legs = 4
        override init(name: String) { super.init(name: name) }
        private enum CodingKeys: String, CodingKey { case legs }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            legs = try container.decode(Int.self, forKey: .legs)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(legs, forKey: .legs)
            try super.encode(to: container.superEncoder())
        }
    }

    /// Shares one map with its superclass.
    final class Cat: Animal {
        var lives = 9
        override init(name: String) { super.init(name: name) }
        private enum CodingKeys: String, CodingKey { case lives }

        required init(from decoder: any Decoder) throws {
            lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lives, forKey: .lives)
        }
    }

    @Test func `is kept under super`() throws {
        let dog = Dog(name: "Rex")
        dog.legs = 3
        #expect(try FieldValue(dog) == ["legs": 3, "super": ["name": "Rex"]])
        let decoded = try roundTrip(dog)
        #expect(decoded.legs == 3)
        #expect(decoded.name == "Rex")
    }

    /// Shares a nested map with its superclass.
    class Document: Encodable {
        enum CodingKeys: String, CodingKey { case attributes }
        enum AttributeKeys: String, CodingKey { case title, pages }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var attributes = container.nestedContainer(
                keyedBy: AttributeKeys.self, forKey: .attributes)
            try attributes.encode("T", forKey: .title)
        }
    }

    final class Book: Document {
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            var attributes = container.nestedContainer(
                keyedBy: AttributeKeys.self, forKey: .attributes)
            try attributes.encode(7, forKey: .pages)
        }
    }

    @Test func `may share a nested map`() throws {
        #expect(try FieldValue(Book()) == ["attributes": ["title": "T", "pages": 7]])
    }

    @Test func `is kept in one map`() throws {
        let cat = Cat(name: "Tom")
        #expect(try FieldValue(cat) == ["lives": 9, "name": "Tom"])
        #expect(try roundTrip(cat).name == "Tom")
        #expect(try roundTrip([cat, cat])[1].lives == 9)
    }
}

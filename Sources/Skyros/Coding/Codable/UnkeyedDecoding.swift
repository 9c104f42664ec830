/// The elements of an array, one after the other.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    private let frame: DecodingFrame
    private let elementCount: Int
    private var offset: Int
    private(set) var currentIndex = 0

    init(_ frame: DecodingFrame) throws {
        self.frame = frame
        var reader = CBORReader(frame.bytes, at: frame.offset)
        do throws(CBORError) {
            elementCount = try reader.readArrayHead()
        } catch {
            throw DecodingError.typeMismatch(
                [Any].self,
                DecodingError.Context(
                    codingPath: frame.codingPath, debugDescription: error.description,
                    underlyingError: error))
        }
        offset = reader.offset
    }

    var codingPath: [any CodingKey] { frame.codingPath }
    var count: Int? { elementCount }
    var isAtEnd: Bool { currentIndex >= elementCount }

    mutating func decodeNil() throws -> Bool {
        try requireElement(Any?.self)
        guard frame.isNull(at: offset) else { return false }
        try advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decodeNext(type)
    }

    // The protocol's own versions for these two types refuse them.

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeNext(type) }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeNext(type) }

    private mutating func decodeNext<T: Decodable>(_ type: T.Type) throws -> T {
        try requireElement(type)
        let value = try frame.decode(type, at: offset, key)
        try advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nextFrame().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nextFrame().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        try nextFrame()
    }

    private var key: CBORKey { CBORKey(index: currentIndex) }

    private mutating func nextFrame() throws -> DecodingFrame {
        try requireElement(Any.self)
        let child = frame.child(at: offset, key)
        try advance()
        return child
    }

    private func requireElement(_ type: Any.Type) throws {
        guard isAtEnd else { return }
        throw DecodingError.valueNotFound(
            type,
            DecodingError.Context(
                codingPath: frame.path(key), debugDescription: "The array has ended."))
    }

    private mutating func advance() throws {
        var reader = CBORReader(frame.bytes, at: offset)
        do throws(CBORError) {
            offset = try reader.skipValue().upperBound
        } catch {
            throw frame.corrupted(error, key)
        }
        currentIndex += 1
    }
}

/// One value in place of another.
struct SingleValueDecoding: SingleValueDecodingContainer {
    let frame: DecodingFrame

    var codingPath: [any CodingKey] { frame.codingPath }

    func decodeNil() -> Bool { frame.isNull(at: frame.offset) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try frame.decode(type, at: frame.offset, nil)
    }

    // The protocol's own versions for these two types refuse them.

    func decode(_ type: Int128.Type) throws -> Int128 {
        try frame.decode(type, at: frame.offset, nil)
    }

    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try frame.decode(type, at: frame.offset, nil)
    }
}

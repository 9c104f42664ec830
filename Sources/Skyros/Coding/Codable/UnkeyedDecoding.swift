/// Decodes the elements of an array, one after the other.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let context: DecodingContext
    /// The start of the array.
    let start: Int
    /// The start of the next element.
    private(set) var next: Int
    let length: Int
    /// The number of arrays and maps around the elements.
    let depth: Int
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { context.codingPath(to: start) }

    var count: Int? { length }

    var isAtEnd: Bool { currentIndex >= length }

    mutating func decodeNil() throws -> Bool {
        try requireElement(Any?.self)
        var reader = context.reader(at: next)
        guard (try? reader.readNullIfPresent()) == true else { return false }
        advance(to: reader.offset)
        return true
    }

    // The standard library has implementations of these two, which only throw.

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type, .int128) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type, .uint128) }

    /// Serves the other scalars as well: arrays ask for their elements by this method.
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let kind = context.state.pointee.kinds.kind(of: type)
        switch kind {
        case .plain, .unordered, .unknown, .url:
            let end = try endOfElement(type)
            let value = try context.decode(type, at: next, depth: depth)
            advance(to: end)
            return value
        default:
            return try scalar(type, kind)
        }
    }

    @inline(__always)
    private mutating func scalar<T>(_ type: T.Type, _ kind: CodingKind) throws -> T {
        try requireElement(type)
        var reader = context.reader(at: next)
        let value = try context.decodeScalar(type, kind, &reader)
        advance(to: reader.offset)
        return value
    }

    // MARK: Stepping

    private mutating func advance(to offset: Int) {
        next = offset
        currentIndex += 1
    }

    private func requireElement(_ type: Any.Type) throws {
        guard isAtEnd else { return }
        let path = codingPath + [CBORKey(index: currentIndex)]
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "The array has \(length) elements.")
        throw DecodingError.valueNotFound(type, context)
    }

    private func endOfElement(_ type: Any.Type) throws -> Int {
        try requireElement(type)
        var reader = context.reader(at: next)
        do {
            return try reader.skipValue(depth: depth).upperBound
        } catch {
            throw context.error(error, type)
        }
    }

    // MARK: Nested containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let end = try endOfElement([String: Any].self)
        let container = try element.container(keyedBy: type)
        advance(to: end)
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let end = try endOfElement([Any].self)
        let container = try element.unkeyedContainer()
        advance(to: end)
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let end = try endOfElement((any Decoder).self)
        let decoder = element
        advance(to: end)
        return decoder
    }

    private var element: ValueDecoder {
        ValueDecoder(context: context, offset: next, depth: depth)
    }
}

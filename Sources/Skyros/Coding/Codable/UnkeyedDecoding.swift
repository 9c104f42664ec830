/// Decodes the elements of an array, one after the other.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let session: DecodingContext
    /// Where the array begins.
    let start: Int
    /// Where the next element begins.
    private(set) var next: Int
    let length: Int
    /// How many arrays and maps there are around the elements.
    let depth: Int
    private(set) var currentIndex = 0

    init(session: DecodingContext, start: Int, next: Int, length: Int, depth: Int) {
        self.session = session
        self.start = start
        self.next = next
        self.length = length
        self.depth = depth
    }

    var codingPath: [any CodingKey] { session.codingPath(to: start) }

    var count: Int? { length }

    var isAtEnd: Bool { currentIndex >= length }

    mutating func decodeNil() throws -> Bool {
        try requireElement(Any?.self)
        var reader = session.reader(at: next)
        guard (try? reader.readNullIfPresent()) == true else { return false }
        advance(to: reader.offset)
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let kind = session.state.pointee.kinds.kind(of: type)
        switch kind {
        case .plain, .unordered, .unknown, .url:
            let end = try endOfElement(type)
            let value = try session.decode(type, at: next, depth: depth)
            advance(to: end)
            return value
        default:
            return try scalar(type, kind)
        }
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
        var reader = session.reader(at: next)
        do {
            return try reader.skipValue(depth: depth).upperBound
        } catch {
            throw session.error(error, type)
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
        ValueDecoder(session: session, offset: next, depth: depth)
    }
}

extension UnkeyedDecoding {
    // MARK: Scalars

    @inline(__always)
    private mutating func scalar<T>(_ type: T.Type, _ kind: CodingKind) throws -> T {
        try requireElement(type)
        var reader = session.reader(at: next)
        let value = try session.decodeScalar(type, kind, &reader)
        advance(to: reader.offset)
        return value
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try scalar(type, .bool) }
    mutating func decode(_ type: String.Type) throws -> String { try scalar(type, .string) }
    mutating func decode(_ type: Double.Type) throws -> Double { try scalar(type, .double) }
    mutating func decode(_ type: Float.Type) throws -> Float { try scalar(type, .float) }
    mutating func decode(_ type: Int.Type) throws -> Int { try scalar(type, .int) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try scalar(type, .int8) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try scalar(type, .int16) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try scalar(type, .int32) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try scalar(type, .int64) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar(type, .int128) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try scalar(type, .uint) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar(type, .uint8) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar(type, .uint16) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar(type, .uint32) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar(type, .uint64) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar(type, .uint128) }
}

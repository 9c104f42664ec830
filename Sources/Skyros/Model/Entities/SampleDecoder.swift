import Foundation

/// Decodes any type from sample values: the same for every field, except another value for a
/// varied field, and none for an omitted one.
struct SampleDecoder: Decoder {
    fileprivate let recording: FieldRecorder?
    /// The name of the varied field.
    fileprivate let varied: String?
    /// The name of the omitted field.
    fileprivate let absent: String?
    /// Whether everything below gets the other value.
    let isVaried: Bool
    fileprivate let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The maximum depth for types that contain themselves.
    private static let depthMax = 8

    init(
        _ recording: FieldRecorder, varying varied: String? = nil, without absent: String? = nil
    ) {
        self.recording = recording
        self.varied = varied
        self.absent = absent
        isVaried = false
        depth = 0
    }

    private init(isVaried: Bool, depth: Int) {
        recording = nil
        varied = nil
        absent = nil
        self.isVaried = isVaried
        self.depth = depth
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SampleFields<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        SampleItems(decoder: self, count: isVaried ? 1 : 0)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SampleValue(decoder: self)
    }

    func nested(isVaried: Bool) throws -> SampleDecoder {
        guard depth < Self.depthMax else { throw Self.noSample }
        return SampleDecoder(isVaried: isVaried, depth: depth + 1)
    }

    static var noSample: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "there is no sample of the type"))
    }
}

private struct SampleFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SampleDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.caseKeys(Key.self) }

    func contains(_ key: Key) -> Bool { key.stringValue != decoder.absent }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try note(key, type)
        return try decoder.sample(type, isVaried: isVaried(key))
    }

    // The standard library decodes these two by separate methods, which throw by default.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try note(key, type)
        return isVaried(key) ? 1 : 0
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try note(key, type)
        return isVaried(key) ? 1 : 0
    }

    func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try nested(key)
    }

    private func nested(_ key: Key) throws -> SampleDecoder {
        try check(key)
        return try decoder.nested(isVaried: isVaried(key))
    }

    private func note(_ key: Key, _ type: Any.Type) throws {
        decoder.recording?.note(key.stringValue, type)
        try check(key)
    }

    private func check(_ key: Key) throws {
        guard contains(key) else { throw SampleDecoder.noSample }
    }

    private func isVaried(_ key: Key) -> Bool {
        decoder.isVaried || key.stringValue == decoder.varied
    }
}

private struct SampleItems: UnkeyedDecodingContainer {
    let decoder: SampleDecoder
    let count: Int?
    var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try decoder.sample(type, isVaried: decoder.isVaried)
    }

    mutating func decode(_ type: Int128.Type) -> Int128 {
        currentIndex += 1
        return decoder.isVaried ? 1 : 0
    }

    mutating func decode(_ type: UInt128.Type) -> UInt128 {
        currentIndex += 1
        return decoder.isVaried ? 1 : 0
    }

    mutating func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nested().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { decoder }

    private mutating func nested() throws -> SampleDecoder {
        currentIndex += 1
        return try decoder.nested(isVaried: decoder.isVaried)
    }
}

private struct SampleValue: SingleValueDecodingContainer {
    let decoder: SampleDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode(_ type: Bool.Type) -> Bool { decoder.isVaried }
    /// Digits, which types that read numbers from text accept too.
    func decode(_ type: String.Type) -> String { decoder.isVaried ? "2" : "1" }
    func decode(_ type: Int128.Type) -> Int128 { decoder.isVaried ? 1 : 0 }
    func decode(_ type: UInt128.Type) -> UInt128 { decoder.isVaried ? 1 : 0 }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let number = type as? any Numeric.Type, let value = Self.number(number, decoder) as? T {
            return value
        }
        return try decoder.sample(type, isVaried: decoder.isVaried)
    }

    private static func number<T: Numeric>(_ type: T.Type, _ decoder: SampleDecoder) -> T? {
        T(exactly: decoder.isVaried ? 1 : 0)
    }
}

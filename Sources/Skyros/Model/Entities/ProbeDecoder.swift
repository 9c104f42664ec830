import Foundation

/// Decodes any type from made-up values: the same for every field, but another one for a field
/// that is varied, and none for one that is left out.
struct ProbeDecoder: Decoder {
    fileprivate let recording: ProbeRecording
    /// The name of the field that gets the other value.
    fileprivate let varied: String?
    /// The name of the field that is not there.
    fileprivate let absent: String?
    /// Whether everything below gets the other value.
    fileprivate let isVaried: Bool
    fileprivate let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Types that contain themselves are not followed further than this.
    private static let depthMax = 8

    init(_ recording: ProbeRecording, varying varied: String? = nil, without absent: String? = nil)
    {
        self.recording = recording
        self.varied = varied
        self.absent = absent
        isVaried = false
        depth = 0
    }

    private init(_ recording: ProbeRecording, isVaried: Bool, depth: Int) {
        self.recording = recording
        varied = nil
        absent = nil
        self.isVaried = isVaried
        self.depth = depth
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ProbeFields<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        ProbeItems(decoder: self, count: isVaried ? 1 : 0)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ProbeValue(decoder: self)
    }

    fileprivate func nested(isVaried: Bool) throws -> ProbeDecoder {
        guard depth < Self.depthMax else { throw Self.noSample }
        return ProbeDecoder(recording, isVaried: isVaried, depth: depth + 1)
    }

    fileprivate static var noSample: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "there is no sample of the type"))
    }

    /// A value of the type, made up.
    fileprivate func sample<T: Decodable>(_ type: T.Type, isVaried: Bool) throws -> T {
        if let simple = Self.simple(type, isVaried) as? T { return simple }
        if let cases = type as? any CaseIterable.Type {
            if let value = Self.aCase(cases, isVaried) as? T { return value }
        }
        do {
            return try T(from: nested(isVaried: isVaried))
        } catch {
            guard !isVaried, let value = Self.zero(type) else { throw error }
            return value
        }
    }

    private static func simple(_ type: Any.Type, _ isVaried: Bool) -> Any? {
        switch type {
        case is UUID.Type:
            isVaried
                ? UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
                : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        case is Date.Type: Date(timeIntervalSinceReferenceDate: isVaried ? 1 : 0)
        case is Data.Type: Data(isVaried ? [1] : [])
        case is URL.Type: URL(string: isVaried ? "a:b" : "a:a")
        case is Decimal.Type: Decimal(isVaried ? 1 : 0)
        default: nil
        }
    }

    private static func aCase<T: CaseIterable>(_ type: T.Type, _ isVaried: Bool) -> Any? {
        isVaried ? type.allCases.dropFirst().first : type.allCases.first
    }

    /// The first case of an enumeration without associated values, or a struct of such and of
    /// numbers: all of them may consist of zero bits alone, as long as nothing is a reference.
    private static func zero<T>(_ type: T.Type) -> T? {
        guard _isPOD(type), MemoryLayout<T>.size > 0 else { return nil }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
        return memory.assumingMemoryBound(to: T.self).pointee
    }
}

private struct ProbeFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbeDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { key.stringValue != decoder.absent }

    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if decoder.depth == 0 {
            decoder.recording.note(key.stringValue, type)
        } else {
            decoder.recording.noteNested(type)
        }
        try check(key)
        return try decoder.sample(type, isVaried: isVaried(key))
    }

    func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try nested(key)
    }

    func superDecoder() throws -> any Decoder { decoder }

    private func nested(_ key: Key) throws -> ProbeDecoder {
        try check(key)
        return try decoder.nested(isVaried: isVaried(key))
    }

    private func check(_ key: Key) throws {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: [], debugDescription: "the sample lacks the field"))
        }
    }

    private func isVaried(_ key: Key) -> Bool {
        decoder.isVaried || key.stringValue == decoder.varied
    }
}

private struct ProbeItems: UnkeyedDecodingContainer {
    let decoder: ProbeDecoder
    let count: Int?
    var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    init(decoder: ProbeDecoder, count: Int) {
        self.decoder = decoder
        self.count = count
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        decoder.recording.noteNested(type)
        return try decoder.sample(type, isVaried: decoder.isVaried)
    }

    mutating func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        currentIndex += 1
        return try decoder.nested(isVaried: decoder.isVaried).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return try decoder.nested(isVaried: decoder.isVaried).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { decoder }
}

private struct ProbeValue: SingleValueDecodingContainer {
    let decoder: ProbeDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode(_ type: Bool.Type) -> Bool { decoder.isVaried }
    func decode(_ type: String.Type) -> String { decoder.isVaried ? "b" : "a" }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let number = type as? any Numeric.Type, let value = Self.number(number, decoder) as? T {
            return value
        }
        return try decoder.sample(type, isVaried: decoder.isVaried)
    }

    private static func number<T: Numeric>(_ type: T.Type, _ decoder: ProbeDecoder) -> T? {
        T(exactly: decoder.isVaried ? 1 : 0)
    }
}

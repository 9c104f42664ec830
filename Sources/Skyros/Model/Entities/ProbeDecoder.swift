import Foundation

/// Decodes any type from made-up values: the same for every field, and another one for the field
/// that is varied.
struct ProbeDecoder: Decoder {
    fileprivate let recording: ProbeRecording?
    /// The name of the field that gets the other value.
    fileprivate let varied: String?
    /// Whether everything below gets the other value.
    fileprivate let isVaried: Bool
    fileprivate let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Types that contain themselves are not followed further than this.
    private static let depthMax = 8

    init(_ recording: ProbeRecording, varying field: String?) {
        self.recording = recording
        varied = field
        isVaried = false
        depth = 0
    }

    private init(isVaried: Bool, depth: Int) {
        recording = nil
        varied = nil
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
        return ProbeDecoder(isVaried: isVaried, depth: depth + 1)
    }

    fileprivate static var noSample: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "there is no sample of the type"))
    }

    /// A value of the type, made up.
    fileprivate func sample<T: Decodable>(_ type: T.Type, isVaried: Bool) throws -> T {
        // Where `T` is an optional, a cast of nil to it succeeds; so nil is not cast.
        if let simple = Self.simple(type, isVaried), let value = simple as? T { return value }
        if let cases = type as? any CaseIterable.Type {
            if let aCase = Self.aCase(cases, isVaried), let value = aCase as? T { return value }
        }
        do {
            return try T(from: nested(isVaried: isVaried))
        } catch {
            guard let value = Self.bareCase(type, isVaried) else { throw error }
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

    /// The first case of an enum, or another one, where decoding does not find it: raw values
    /// cannot be guessed.
    ///
    /// Bits that are zero are the first case of every enum that holds no reference. The bits of
    /// the number 1 are the second if cases carry nothing, as long as there are two: an enum of
    /// one case has no bits at all. Of any other type, such bits may be a value that its own
    /// initialisers never make.
    private static func bareCase<T>(_ type: T.Type, _ isVaried: Bool) -> T? {
        guard _isPOD(type), MemoryLayout<T>.size > 0, !(type is any CustomReflectable.Type) else {
            return nil
        }
        let first = bits(0, as: type)
        let mirror = Mirror(reflecting: first)
        guard mirror.displayStyle == .enum else { return nil }
        guard isVaried else { return first }
        return mirror.children.isEmpty ? bits(1, as: type) : nil
    }

    private static func bits<T>(_ lowest: UInt8, as type: T.Type) -> T {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
        // The lowest byte comes first on every machine that Swift supports.
        memory.storeBytes(of: lowest, as: UInt8.self)
        return memory.assumingMemoryBound(to: type).pointee
    }

    /// The key of an enum's case, which stands for the case and what it carries.
    fileprivate func caseKeys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
        Self.bareCase(type, isVaried).map { [$0] } ?? []
    }
}

private struct ProbeFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbeDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.caseKeys(Key.self) }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        decoder.recording?.note(key.stringValue, type)
        return try decoder.sample(type, isVaried: isVaried(key))
    }

    // The standard library decodes these two by methods of their own, which throw by default.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        decoder.recording?.note(key.stringValue, type)
        return isVaried(key) ? 1 : 0
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        decoder.recording?.note(key.stringValue, type)
        return isVaried(key) ? 1 : 0
    }

    func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.nested(isVaried: isVaried(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.nested(isVaried: isVaried(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.nested(isVaried: isVaried(key))
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
    /// Digits, as they please types that read numbers from text as well.
    func decode(_ type: String.Type) -> String { decoder.isVaried ? "2" : "1" }
    func decode(_ type: Int128.Type) -> Int128 { decoder.isVaried ? 1 : 0 }
    func decode(_ type: UInt128.Type) -> UInt128 { decoder.isVaried ? 1 : 0 }

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

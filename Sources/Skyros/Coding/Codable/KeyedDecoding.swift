/// The fields of a map, by their names.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let frame: DecodingFrame
    private let fields: [CBORField]

    init(_ frame: DecodingFrame) throws {
        self.frame = frame
        do throws(CBORError) {
            var walk = try CBORFields(frame.bytes, at: frame.offset)
            var fields: [CBORField] = []
            fields.reserveCapacity(walk.count)
            while let field = try walk.next() { fields.append(field) }
            self.fields = fields
        } catch {
            throw DecodingError.typeMismatch(
                [String: Any].self,
                DecodingError.Context(
                    codingPath: frame.codingPath, debugDescription: error.description,
                    underlyingError: error))
        }
    }

    var codingPath: [any CodingKey] { frame.codingPath }

    var allKeys: [Key] {
        fields.compactMap { field in
            Key(stringValue: String(decoding: frame.bytes[field.key], as: UTF8.self))
        }
    }

    func contains(_ key: Key) -> Bool { offset(of: key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        frame.isNull(at: try requiredOffset(of: key))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try frame.decode(type, at: requiredOffset(of: key), key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let offset = offset(of: key), !frame.isNull(at: offset) else { return nil }
        return try frame.decode(type, at: offset, key)
    }

    // The protocol's own versions for these two types refuse them.

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try frame.decode(type, at: requiredOffset(of: key), key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try frame.decode(type, at: requiredOffset(of: key), key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try frame.child(at: requiredOffset(of: key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try frame.child(at: requiredOffset(of: key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let offset = offset(named: CBORKey.super.stringValue) else {
            throw missing(CBORKey.super)
        }
        return frame.child(at: offset, CBORKey.super)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        frame.child(at: try requiredOffset(of: key), key)
    }

    private func requiredOffset(of key: Key) throws -> Int {
        guard let offset = offset(of: key) else { throw missing(key) }
        return offset
    }

    private func offset(of key: Key) -> Int? { offset(named: key.stringValue) }

    private func offset(named name: String) -> Int? {
        var name = name
        return name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            return fields.first { frame.bytes.equals(name, at: $0.key) }?.value.lowerBound
        }
    }

    private func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: frame.codingPath,
                debugDescription: "There is no field \"\(key.stringValue)\"."))
    }
}

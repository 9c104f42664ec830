/// Decodes the fields of a map.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let context: DecodingContext
    let fields: DecodingFields
    /// The number of arrays and maps around the values of the fields.
    let depth: Int

    var codingPath: [any CodingKey] { context.codingPath(to: fields.offset) }

    var allKeys: [Key] {
        let state = context.state
        guard context.isValid else { return [] }
        if fields.isOutermost { state.pointee.requests.noteAll() }
        return (0..<fields.count).compactMap { index in
            let entry = state.pointee.entries[fields.first + index]
            let utf8 = DecodingState.key(entry, in: state.pointee.bytes)
            return String(validating: utf8, as: UTF8.self).flatMap { Key(stringValue: $0) }
        }
    }

    func contains(_ key: Key) -> Bool {
        find(key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        var reader = context.reader(at: try offset(of: key, for: Any?.self))
        return (try? reader.readNullIfPresent()) ?? false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try context.decode(type, at: try offset(of: key, for: type), depth: depth)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let offset = findValue(key) else { return nil }
        return try context.decode(type, at: offset, depth: depth)
    }

    // MARK: Finding fields

    /// The start of the value of `key`, or nil if there is no such field.
    @inline(__always)
    private func find(_ key: some CodingKey) -> Int? {
        guard context.isValid else { return nil }
        var name = key.stringValue
        return name.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let state = context.state
            guard let index = fields.index(of: bytes, in: state.pointee) else { return nil }
            if fields.isOutermost { state.pointee.requests.note(index - fields.first) }
            return Int(state.pointee.entries[index].value)
        }
    }

    /// The start of the value of `key`, or nil if there is none or it is null.
    @inline(__always)
    func findValue(_ key: Key) -> Int? {
        guard let offset = find(key) else { return nil }
        var reader = context.reader(at: offset)
        if let isNull = try? reader.readNullIfPresent(), isNull { return nil }
        return offset
    }

    @inline(__always)
    func offset(of key: some CodingKey, for type: Any.Type) throws -> Int {
        guard let offset = find(key) else {
            throw context.missingKey(key, type, in: fields.offset)
        }
        return offset
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(of: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(of: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        try decoder(of: CBORKey.super)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder(of: key)
    }

    private func decoder(of key: some CodingKey) throws -> ValueDecoder {
        ValueDecoder(
            context: context, offset: try offset(of: key, for: [String: Any].self), depth: depth)
    }
}

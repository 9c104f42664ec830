/// Encodes the fields of a map.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let cursor: EncodingCursor

    var codingPath: [any CodingKey] { cursor.codingPath }

    func encodeNil(forKey key: Key) throws {
        try cursor.beginField(key)
        cursor.state.pointee.writer.appendNull()
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try cursor.encodeField(value, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedEncoding<NestedKey>(cursor: cursor.child(.map, for: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(cursor: cursor.child(.array, for: key))
    }

    func superEncoder() -> any Encoder {
        FrameEncoder(cursor: cursor.child(.undecided, for: CBORKey.super))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        FrameEncoder(cursor: cursor.child(.undecided, for: key))
    }
}

extension KeyedEncoding {
    // MARK: Scalars

    func encode(_ value: Bool, forKey key: Key) throws {
        try cursor.beginField(key)
        cursor.state.pointee.writer.append(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try cursor.beginField(key)
        cursor.state.pointee.writer.append(text: value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try cursor.beginField(key)
        cursor.state.pointee.writer.append(value)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try cursor.beginField(key)
        cursor.state.pointee.writer.append(value)
    }

    /// Serves all integers of up to 64 bits: the standard library asks for each of them.
    @inline(__always)
    func encode<T: FixedWidthInteger & Encodable>(_ value: T, forKey key: Key) throws {
        guard T.bitWidth <= 64 else { return try cursor.encodeField(value, key) }
        try cursor.beginField(key)
        if T.isSigned {
            cursor.state.pointee.writer.append(Int64(truncatingIfNeeded: value))
        } else {
            cursor.state.pointee.writer.append(UInt64(truncatingIfNeeded: value))
        }
    }

    // The standard library has implementations of these two, which only throw.

    func encode(_ value: Int128, forKey key: Key) throws { try cursor.encodeField(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try cursor.encodeField(value, key) }
}

extension KeyedEncoding {
    // MARK: Optionals: the frequent ones; the standard library's own are not specialised

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try cursor.encodeField(value, key) }
    }
}

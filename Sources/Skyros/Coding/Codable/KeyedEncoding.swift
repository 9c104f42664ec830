/// Encodes the fields of a map.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: EncodingCursor

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil(forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.appendNull()
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try place.encodeField(value, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedEncoding<NestedKey>(place: place.child(.map, for: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(place: place.child(.array, for: key))
    }

    func superEncoder() -> any Encoder {
        FrameEncoder(place: place.child(.undecided, for: CBORKey.super))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        FrameEncoder(place: place.child(.undecided, for: key))
    }
}

extension KeyedEncoding {
    // MARK: Scalars

    func encode(_ value: Bool, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(text: value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        try place.beginField(key)
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        try place.beginField(key)
        try place.session.append(value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try place.beginField(key)
        try place.session.append(value)
    }
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
        if let value { try place.encodeField(value, key) }
    }
}

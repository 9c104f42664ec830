/// Encodes the elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let place: EncodingCursor

    var codingPath: [any CodingKey] { place.codingPath }

    var count: Int { place.isOpen ? place.state.pointee.top.count : 0 }

    func encodeNil() throws {
        try place.beginElement()
        place.state.pointee.writer.appendNull()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try place.encodeElement(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedEncoding<NestedKey>(place: place.childElement(.map)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(place: place.childElement(.array))
    }

    func superEncoder() -> any Encoder {
        FrameEncoder(place: place.childElement(.undecided))
    }
}

extension UnkeyedEncoding {
    // MARK: Scalars

    func encode(_ value: Bool) throws {
        try place.beginElement()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: String) throws {
        try place.beginElement()
        place.state.pointee.writer.append(text: value)
    }

    func encode(_ value: Double) throws {
        try place.beginElement()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Float) throws {
        try place.beginElement()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Int) throws {
        try place.beginElement()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int8) throws {
        try place.beginElement()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int16) throws {
        try place.beginElement()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int32) throws {
        try place.beginElement()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int64) throws {
        try place.beginElement()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: UInt) throws {
        try place.beginElement()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt8) throws {
        try place.beginElement()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt16) throws {
        try place.beginElement()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt32) throws {
        try place.beginElement()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt64) throws {
        try place.beginElement()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Int128) throws {
        try place.beginElement()
        try place.session.append(value)
    }

    func encode(_ value: UInt128) throws {
        try place.beginElement()
        try place.session.append(value)
    }
}

/// Encodes the elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let place: EncodingCursor

    var codingPath: [any CodingKey] { place.codingPath }

    var count: Int { place.isOpen ? place.state.pointee.top.count : 0 }

    func encodeNil() throws {
        try place.beginElement()
        place.state.pointee.writer.appendNull()
    }

    /// Serves the scalars as well: arrays ask for their elements by this method.
    func encode<T: Encodable>(_ value: T) throws { try place.encodeElement(value) }

    // The standard library has implementations of these two, which only throw.

    func encode(_ value: Int128) throws { try place.encodeElement(value) }
    func encode(_ value: UInt128) throws { try place.encodeElement(value) }

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

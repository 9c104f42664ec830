/// Encodes the elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let cursor: EncodingCursor

    var codingPath: [any CodingKey] { cursor.codingPath }

    var count: Int { cursor.isOpen ? cursor.state.pointee.top.count : 0 }

    func encodeNil() throws {
        try cursor.beginElement()
        cursor.state.pointee.writer.appendNull()
    }

    /// Serves the scalars as well: arrays ask for their elements by this method.
    func encode<T: Encodable>(_ value: T) throws { try cursor.encodeElement(value) }

    // The standard library has implementations of these two, which only throw.

    func encode(_ value: Int128) throws { try cursor.encodeElement(value) }
    func encode(_ value: UInt128) throws { try cursor.encodeElement(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedEncoding<NestedKey>(cursor: cursor.childElement(.map)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(cursor: cursor.childElement(.array))
    }

    func superEncoder() -> any Encoder {
        FrameEncoder(cursor: cursor.childElement(.undecided))
    }
}

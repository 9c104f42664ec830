/// Encodes one value in place of another.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let cursor: EncodingCursor

    var codingPath: [any CodingKey] { cursor.codingPath }

    func encodeNil() throws {
        try cursor.beginValue()
        cursor.state.pointee.writer.appendNull()
    }

    /// Serves the other scalars as well.
    func encode<T: Encodable>(_ value: T) throws { try cursor.encodeValue(value) }

    /// The frequent one: enums with text as their raw values.
    func encode(_ value: String) throws {
        try cursor.beginValue()
        cursor.state.pointee.writer.append(text: value)
    }

    // The standard library has implementations of these two, which only throw.

    func encode(_ value: Int128) throws { try cursor.encodeValue(value) }
    func encode(_ value: UInt128) throws { try cursor.encodeValue(value) }
}

/// Encodes one value in place of another.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let place: EncodingCursor

    var codingPath: [any CodingKey] { place.codingPath }

    func encodeNil() throws {
        try place.beginValue()
        place.state.pointee.writer.appendNull()
    }

    func encode<T: Encodable>(_ value: T) throws {
        try place.encodeValue(value)
    }
}

extension SingleValueEncoding {
    // MARK: Scalars

    func encode(_ value: Bool) throws {
        try place.beginValue()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: String) throws {
        try place.beginValue()
        place.state.pointee.writer.append(text: value)
    }

    func encode(_ value: Double) throws {
        try place.beginValue()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Float) throws {
        try place.beginValue()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Int) throws {
        try place.beginValue()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int8) throws {
        try place.beginValue()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int16) throws {
        try place.beginValue()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int32) throws {
        try place.beginValue()
        place.state.pointee.writer.append(Int64(value))
    }

    func encode(_ value: Int64) throws {
        try place.beginValue()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: UInt) throws {
        try place.beginValue()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt8) throws {
        try place.beginValue()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt16) throws {
        try place.beginValue()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt32) throws {
        try place.beginValue()
        place.state.pointee.writer.append(UInt64(value))
    }

    func encode(_ value: UInt64) throws {
        try place.beginValue()
        place.state.pointee.writer.append(value)
    }

    func encode(_ value: Int128) throws {
        try place.beginValue()
        try place.session.append(value)
    }

    func encode(_ value: UInt128) throws {
        try place.beginValue()
        try place.session.append(value)
    }
}

/// The encoder of one value, which a type's `encode(to:)` gets.
struct FrameEncoder: Encoder {
    let cursor: EncodingCursor

    var codingPath: [any CodingKey] { cursor.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { cursor.state.pointee.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoding<Key>(cursor: cursor.opened(as: .map)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(cursor: cursor.opened(as: .array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(cursor: cursor)
    }
}

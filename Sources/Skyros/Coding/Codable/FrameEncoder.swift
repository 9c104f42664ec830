/// The encoder of one value, which a type's `encode(to:)` gets.
struct FrameEncoder: Encoder {
    let place: EncodingCursor

    var codingPath: [any CodingKey] { place.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { place.state.pointee.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoding<Key>(place: place.opened(as: .map)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(place: place.opened(as: .array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(place: place)
    }
}

import Foundation

/// One value that is being decoded: the decoder that its `init(from:)` gets.
///
/// The whole input was checked to be well-formed before. Frames know their parents, so that a
/// coding path is built only when somebody asks for it.
final class DecodingFrame: Decoder {
    let bytes: UnsafeRawBufferPointer
    /// Where the value begins.
    let offset: Int
    private let parent: DecodingFrame?
    private let key: (any CodingKey)?
    private let sharedInfo: [CodingUserInfoKey: any Sendable]

    init(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, parent: DecodingFrame?,
        key: (any CodingKey)?, userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        self.bytes = bytes
        self.offset = offset
        self.parent = parent
        self.key = key
        sharedInfo = userInfo
    }

    var userInfo: [CodingUserInfoKey: Any] { sharedInfo }

    var codingPath: [any CodingKey] {
        (parent?.codingPath ?? []) + (key.map { [$0] } ?? [])
    }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try KeyedDecoding<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try UnkeyedDecoding(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleValueDecoding(frame: self)
    }

    /// The frame of a value inside of this one.
    func child(at offset: Int, _ key: any CodingKey) -> DecodingFrame {
        DecodingFrame(bytes, at: offset, parent: self, key: key, userInfo: sharedInfo)
    }

    // MARK: Values

    /// Decodes the value at `offset`, which `key` leads to; nil if it is this frame's own.
    func decode<T: Decodable>(
        _ type: T.Type, at offset: Int, _ key: (any CodingKey)?
    ) throws -> T {
        do {
            if let value = try scalar(type, at: offset) { return value }
        } catch let error as CBORError {
            throw failure(error, type, at: offset, key)
        }
        guard let key else { return try T(from: self) }
        return try T(from: child(at: offset, key))
    }

    /// Whether the value at `offset` is null.
    func isNull(at offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] == CBORFormat.Byte.null
    }

    /// A value of a type that is stored in a way of its own; nil for all other types.
    private func scalar<T>(_ type: T.Type, at offset: Int) throws -> T? {
        var reader = CBORReader(bytes, at: offset)
        return switch CodingKind(of: type) {
        case .bool: try reader.readBool() as? T
        case .string: try reader.readText() as? T
        case .double: try reader.readDouble() as? T
        case .float: try float(&reader) as? T
        case .int: try reader.readInteger(Int.self) as? T
        case .int8: try reader.readInteger(Int8.self) as? T
        case .int16: try reader.readInteger(Int16.self) as? T
        case .int32: try reader.readInteger(Int32.self) as? T
        case .int64: try reader.readInteger(Int64.self) as? T
        case .int128: try reader.readInteger(Int128.self) as? T
        case .uint: try reader.readInteger(UInt.self) as? T
        case .uint8: try reader.readInteger(UInt8.self) as? T
        case .uint16: try reader.readInteger(UInt16.self) as? T
        case .uint32: try reader.readInteger(UInt32.self) as? T
        case .uint64: try reader.readInteger(UInt64.self) as? T
        case .uint128: try reader.readInteger(UInt128.self) as? T
        case .uuid: try reader.readUUID() as? T
        case .date: try reader.readDate() as? T
        case .data: try reader.readData() as? T
        case .decimal: try reader.readDecimal() as? T
        case .url: try url(&reader) as? T
        case .plain, .unordered, .unknown: nil
        }
    }

    private func float(_ reader: inout CBORReader) throws -> Float {
        let start = reader.offset
        let value = try reader.readDouble()
        let float = Float(value)
        guard Double(float) == value || value.isNaN else {
            throw CBORError(.doesNotFit, at: start)
        }
        return float
    }

    /// A URL with a base is stored by its own `encode(to:)`.
    private func url(_ reader: inout CBORReader) throws -> URL? {
        guard try reader.peekType() == .tag else { return nil }
        let start = reader.offset
        try reader.expectTag(CBORFormat.Tag.url)
        guard let url = URL(string: try reader.readText()) else {
            throw CBORError(.invalidTagContent(CBORFormat.Tag.url), at: start)
        }
        return url
    }

    // MARK: Errors

    func path(_ key: (any CodingKey)?) -> [any CodingKey] {
        codingPath + (key.map { [$0] } ?? [])
    }

    func corrupted(_ error: CBORError, _ key: (any CodingKey)?) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: path(key), debugDescription: error.description, underlyingError: error))
    }

    private func failure(
        _ error: CBORError, _ type: Any.Type, at offset: Int, _ key: (any CodingKey)?
    ) -> DecodingError {
        if isNull(at: offset) {
            let context = DecodingError.Context(
                codingPath: path(key), debugDescription: "There is null in place of a \(type).")
            return .valueNotFound(type, context)
        }
        guard case .unexpectedType = error.problem else { return corrupted(error, key) }
        let context = DecodingError.Context(
            codingPath: path(key), debugDescription: error.description, underlyingError: error)
        return .typeMismatch(type, context)
    }
}

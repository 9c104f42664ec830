public import Foundation

extension RecordID {
    /// The id of a record whose `id` is `id`: its canonical CBOR. O(n).
    ///
    /// Throws what encoding throws.
    @inlinable
    public init<ID: Encodable>(encoding id: ID) throws {
        // The usual types need no encoder.
        if ID.self == UUID.self {
            self.init(unsafeBitCast(id, to: UUID.self))  // The types were just compared.
        } else if ID.self == String.self {
            self.init(unsafeBitCast(id, to: String.self))  // The types were just compared.
        } else if ID.self == Int.self {
            self.init(unsafeBitCast(id, to: Int.self))  // The types were just compared.
        } else {
            try self.init(byEncoder: id)
        }
    }

    @usableFromInline
    init(byEncoder id: some Encodable) throws {
        var bytes: ByteString?
        try CBOREncoder().withEncoded(id) { bytes = ByteString($0) }
        guard let bytes else { preconditionFailure("The closure is called once.") }
        self.init(bytes)
    }

    /// The id of a record whose `id` is a UUID.
    public init(_ id: UUID) {
        let (first, last) = withUnsafeBytes(of: id.uuid) { content in
            (
                UInt64(bigEndian: content.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: content.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        // The heads of the tag and of the byte string.
        let head = 0xD8 << 16 | CBORFormat.Tag.uuid << 8 | 0x50
        self.init(ByteString(head: head, first, last))
    }

    /// The id of a record whose `id` is a text.
    public init(_ id: String) {
        var id = id
        self.init(id.withUTF8Bytes { Self.join(.text, UInt64($0.count), $0) })
    }

    /// The id of a record whose `id` is an integer.
    public init(_ id: Int) {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        self.init(Self.join(id < 0 ? .negative : .unsigned, UInt64(id < 0 ? ~id : id), none))
    }

    /// The id of a record whose `id` is an integer of another width, of up to 128 bits.
    public init(_ id: some FixedWidthInteger) {
        if let id = Int(exactly: id) {
            self.init(id)
        } else {
            var writer = CBORWriter()
            if id < 0 { writer.append(Int128(id)) } else { writer.append(UInt128(id)) }
            self.init(writer.withUnsafeBytes { ByteString($0) })
        }
    }

    /// The id of a record whose `id` is given as a value without its type.
    ///
    /// Throws for a value that is nested deeper than 128 levels.
    public init(_ id: FieldValue) throws {
        self.init(ByteString(try id.encoded()))
    }

    private static func join(
        _ type: CBORType, _ argument: UInt64, _ content: UnsafeRawBufferPointer
    ) -> ByteString {
        // The head's bytes in the order of writing, at the left of a 16-byte word.
        let size: UInt128
        let detail: UInt128
        switch argument {
        case ..<24: (size, detail) = (0, UInt128(argument))
        case ...0xFF: (size, detail) = (1, 24)
        case ...0xFFFF: (size, detail) = (2, 25)
        case ...0xFFFF_FFFF: (size, detail) = (4, 26)
        default: (size, detail) = (8, 27)
        }
        var head = (UInt128(type.rawValue) << 5 | detail) << 120
        if size > 0 { head |= UInt128(argument) << (120 - 8 * size) }
        return withUnsafeBytes(of: head.bigEndian) { bytes in
            join(UnsafeRawBufferPointer(rebasing: bytes.prefix(1 + Int(size))), content)
        }
    }

    private static func join(
        _ head: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer
    ) -> ByteString {
        let count = head.count + content.count
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
            buffer.copyMemory(from: head)
            UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...])
                .copyMemory(from: content)
            return ByteString(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Decodes the id as a Swift type; throws what decoding throws.
    public func decode<ID: Decodable>(as type: ID.Type) throws -> ID {
        try bytes.withUnsafeBytes { try CBORDecoder().decode(type, from: $0) }
    }

    /// The id as a value without its type; a byte string if its bytes are not CBOR.
    public var value: FieldValue {
        bytes.withUnsafeBytes { buffer in
            (try? FieldValue(cbor: buffer)) ?? .bytes(Data(buffer))
        }
    }
}

extension RecordID: CustomStringConvertible {
    /// The id as JSON; a string without its quotes.
    public var description: String {
        switch value {
        case .text(let text): text
        case let value: value.jsonString ?? value.jsonText()
        }
    }
}

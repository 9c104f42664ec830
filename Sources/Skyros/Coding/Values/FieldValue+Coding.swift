import Foundation
import SkyrosLog

// MARK: Encoding

extension FieldValue {
    /// The stored form of a Swift value, as a value without its type.
    ///
    /// Throws what encoding throws.
    public init(_ value: some Encodable) throws {
        self = try FieldValue(cbor: CBOREncoder().encode(value))
    }

    /// Decodes the value as a Swift type; throws what decoding throws.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        try CBORDecoder().decode(type, from: encoded())
    }

    /// The canonical CBOR of the value. O(n log n) in the keys of a map; throws for values
    /// nested deeper than `CBORFormat.nestingMax`, and for a reserved tag.
    package func encoded() throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        try append(to: &writer)
        return writer.array
    }

    /// Appends the canonical CBOR of the value, around which there are `depth` levels.
    package func append(to writer: inout CBORWriter, depth: Int = 0) throws(CBORError) {
        switch self {
        case .null: writer.appendNull()
        case .bool(let value): writer.append(value)
        case .integer(let value):
            if Int64(exactly: value) == nil { try requireLevel(depth) }
            writer.append(value)
        case .double(let value): writer.append(value)
        case .text(let value): writer.append(text: value)
        case .bytes(let value): writer.append(value)
        case .uuid(let value):
            try requireLevel(depth)
            writer.append(value)
        case .date(let value):
            try requireLevel(depth)
            writer.append(value)
        case .array(let values):
            try requireLevel(depth)
            writer.appendArrayHead(values.count)
            for value in values { try value.append(to: &writer, depth: depth + 1) }
        case .map(let values):
            try requireLevel(depth)
            try Self.append(values, to: &writer, depth: depth + 1)
        case .tagged(let tag, let value):
            try requireLevel(depth)
            if CBORFormat.Tag.reserved.contains(tag) { throw CBORError(.reservedTag(tag), at: 0) }
            try Self.append(value, tag, to: &writer, depth: depth + 1)
        }
    }

    private func requireLevel(_ depth: Int) throws(CBORError) {
        if depth >= CBORFormat.nestingMax { throw CBORError(.tooDeep, at: 0) }
    }

    /// Appends a map with its keys in canonical order.
    static func append(
        _ values: NamedValues<FieldValue>, to writer: inout CBORWriter, depth: Int
    ) throws(CBORError) {
        writer.appendMapHead(values.count)
        for (key, value) in values {
            writer.append(text: key)
            try value.append(to: &writer, depth: depth)
        }
    }

    /// Appends a tagged value; a bignum in its shortest form.
    private static func append(
        _ value: FieldValue, _ tag: UInt64, to writer: inout CBORWriter, depth: Int
    ) throws(CBORError) {
        let isBignum =
            tag == CBORFormat.Tag.positiveBignum || tag == CBORFormat.Tag.negativeBignum
        guard isBignum, case .bytes(let magnitude) = value else {
            writer.appendTag(tag)
            try value.append(to: &writer, depth: depth)
            return
        }
        let digits = magnitude.drop { $0 == 0 }
        if digits.count <= 8 {
            let short = digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let isPositive = tag == CBORFormat.Tag.positiveBignum
            writer.appendHead(isPositive ? .unsigned : .negative, short)
        } else {
            writer.appendTag(tag)
            writer.append(Data(digits))
        }
    }
}

// MARK: Decoding

extension FieldValue {
    /// The value that `bytes` encode; they must be one whole CBOR item. O(n).
    ///
    /// Keys may be in any order; a repeated key is an error.
    package init(cbor bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        self = try reader.readValue()
        try reader.finish()
    }

    /// The value that `bytes` encode; they must be one whole CBOR item. O(n).
    package init(cbor bytes: [UInt8]) throws(CBORError) {
        self = try bytes.withBytes { buffer throws(CBORError) in try FieldValue(cbor: buffer) }
    }
}

extension CBORReader {
    /// Reads the next item of any type, around which there are `depth` levels. O(n).
    package mutating func readValue(depth: Int = 0) throws(CBORError) -> FieldValue {
        let start = offset
        let type = try peekType()
        switch type {
        case .unsigned, .negative: return .integer(try readInteger())
        case .bytes: return .bytes(try readData())
        case .text: return .text(try readText())
        case .simple: return try readSimple()
        case .array, .map, .tag:
            guard depth < CBORFormat.nestingMax else { throw CBORError(.tooDeep, at: start) }
            if type == .tag { return try readTagged(depth: depth + 1) }
            if type == .map { return .map(try readFields(depth: depth + 1)) }
            return .array(try readElements(depth: depth + 1))
        }
    }

    private mutating func readSimple() throws(CBORError) -> FieldValue {
        switch try peekByte() {
        case CBORFormat.Byte.null:
            offset += 1
            return .null
        case CBORFormat.Byte.true, CBORFormat.Byte.false: return .bool(try readBool())
        case CBORFormat.Byte.half...CBORFormat.Byte.double: return .double(try readDouble())
        case let byte: throw CBORError(.unsupported(byte), at: offset)
        }
    }

    private mutating func readElements(depth: Int) throws(CBORError) -> [FieldValue] {
        let count = try readArrayHead()
        var values: [FieldValue] = []
        for _ in 0..<count { values.append(try readValue(depth: depth)) }
        return values
    }

    private mutating func readFields(depth: Int) throws(CBORError) -> NamedValues<FieldValue> {
        let start = offset
        let count = try readMapHead()
        var entries: [NamedValues<FieldValue>.Element] = []
        for _ in 0..<count {
            guard try peekType() == .text else { throw CBORError(.keyIsNotText, at: offset) }
            let key = try readText()
            entries.append((key, try readValue(depth: depth)))
        }
        let values = NamedValues(entries: entries)
        guard values.count == count else { throw CBORError(.duplicateKey, at: start) }
        return values
    }

    /// Reads a tag and its content; if the content does not fit the tag, it stays `tagged`.
    private mutating func readTagged(depth: Int) throws(CBORError) -> FieldValue {
        let tag = try readTag()
        let content = try readValue(depth: depth)
        switch (tag, content) {
        case (CBORFormat.Tag.uuid, .bytes(let bytes)) where bytes.count == 16:
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case (CBORFormat.Tag.date, .double(let seconds)):
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (CBORFormat.Tag.positiveBignum, .bytes(let bytes)),
            (CBORFormat.Tag.negativeBignum, .bytes(let bytes)):
            let digits = bytes.drop { $0 == 0 }
            guard digits.count < 16 || (digits.count == 16 && (digits.first ?? 0) < 0x80) else {
                return .tagged(tag, .bytes(Data(digits)))
            }
            let magnitude = digits.reduce(Int128(0)) { $0 << 8 | Int128($1) }
            return .integer(tag == CBORFormat.Tag.positiveBignum ? magnitude : ~magnitude)
        default:
            return .tagged(tag, content)
        }
    }
}

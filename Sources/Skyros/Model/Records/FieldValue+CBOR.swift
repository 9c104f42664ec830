import Foundation

extension FieldValue {
    /// Reads the value whose CBOR is `bytes`.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        let value = bytes.withUnsafeBytes { buffer in
            Result { () throws(CBORError) in try FieldValue(decoding: buffer) }
        }
        self = try value.get()
    }

    /// Reads the value whose CBOR is `bytes`.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        _ = try reader.skipValue()
        try reader.finish()
        reader.offset = 0
        self = try FieldValue(from: &reader)
    }

    /// Reads the value at the reader's place, which was checked to be well-formed.
    init(from reader: inout CBORReader) throws(CBORError) {
        switch try reader.peekType() {
        case .unsigned, .negative: self = .integer(try reader.readInteger(Int128.self))
        case .bytes: self = .bytes(try reader.readData())
        case .text: self = .text(try reader.readText())
        case .array:
            var elements: [FieldValue] = []
            for _ in 0..<(try reader.readArrayHead()) {
                elements.append(try FieldValue(from: &reader))
            }
            self = .array(elements)
        case .map:
            var fields: [String: FieldValue] = [:]
            for _ in 0..<(try reader.readMapHead()) {
                let name = try reader.readText()
                fields[name] = try FieldValue(from: &reader)
            }
            self = .map(fields)
        case .tag: self = try Self.tagged(&reader)
        case .simple: self = try Self.simple(&reader)
        }
    }

    private static func simple(_ reader: inout CBORReader) throws(CBORError) -> FieldValue {
        if try reader.readNullIfPresent() { return .null }
        switch try reader.peekByte() {
        case CBORFormat.Byte.false, CBORFormat.Byte.true: return .bool(try reader.readBool())
        default: return .double(try reader.readDouble())
        }
    }

    private static func tagged(_ reader: inout CBORReader) throws(CBORError) -> FieldValue {
        let start = reader.offset
        let tag = try reader.readTag()
        let content = reader.offset
        reader.offset = start
        switch tag {
        case CBORFormat.Tag.uuid: return .uuid(try reader.readUUID())
        case CBORFormat.Tag.date: return .date(try reader.readDate())
        case CBORFormat.Tag.positiveBignum, CBORFormat.Tag.negativeBignum:
            do throws(CBORError) {
                return .integer(try reader.readInteger(Int128.self))
            } catch {
                guard error.problem == .doesNotFit else { throw error }
            }
        default: break
        }
        reader.offset = content
        return .tagged(tag, try FieldValue(from: &reader))
    }

    /// The canonical CBOR of the value.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        append(to: &writer)
        return writer.array
    }

    /// Appends the canonical CBOR of the value.
    package func append(to writer: inout CBORWriter) {
        switch self {
        case .null: writer.appendNull()
        case .bool(let value): writer.append(value)
        case .integer(let number): writer.append(number)
        case .double(let number): writer.append(number)
        case .text(let text): writer.append(text: text)
        case .bytes(let data): writer.append(data)
        case .uuid(let uuid): writer.append(uuid)
        case .date(let date): writer.append(date)
        case .array(let elements):
            writer.appendArrayHead(elements.count)
            for element in elements { element.append(to: &writer) }
        case .map(let fields):
            writer.appendMapHead(fields.count)
            for (name, value) in fields.sorted(by: { Fields.precedes($0.key, $1.key) }) {
                writer.append(text: name)
                value.append(to: &writer)
            }
        case .tagged(let tag, let value):
            writer.appendTag(tag)
            value.append(to: &writer)
        }
    }
}

import Foundation

extension RecordID {
    /// The canonical bytes of an id.
    ///
    /// - Throws: what the id's `encode(to:)` throws.
    public init<ID: Encodable>(encoding id: ID) throws {
        self.init(try CBOREncoder().withEncoded(id) { ByteString($0) })
    }

    /// The id as a value of its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit.
    public func decode<ID: Decodable>(as type: ID.Type) throws -> ID {
        do {
            return try bytes.withUnsafeBytes { try CBORDecoder().decode(type, from: $0) }
        } catch {
            throw StoreError(
                .notDecodable, "the id \(self) does not fit the type \(type)",
                at: StoreError.Place(ids: [self]), cause: String(describing: error))
        }
    }

    /// The id without its type.
    public var value: FieldValue {
        get throws {
            do {
                return try FieldValue(decoding: bytes.array)
            } catch {
                throw StoreError(
                    .notDecodable, "an id cannot be read", cause: String(describing: error))
            }
        }
    }

    /// The id of a value without a type.
    public init(_ value: FieldValue) {
        self.init(ByteString(value.encoded))
    }
}

extension RecordID: CustomStringConvertible {
    /// The id as JSON, texts without their quotation marks.
    public var description: String {
        guard let value = try? value else { return "(unreadable)" }
        switch value {
        case .text(let text): return text
        case .uuid(let uuid): return uuid.uuidString.lowercased()
        default: return value.jsonText()
        }
    }
}

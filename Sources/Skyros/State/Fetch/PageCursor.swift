import Foundation
import SkyrosLog

/// A position in the answer to a request: after one record.
///
/// A cursor holds the values by which that record was sorted, and its id. So the next page begins
/// after the record also if records were inserted or deleted meanwhile, that record included. It
/// can be stored and sent: encoded, and as ``text``, it is one string of letters, digits, `-` and
/// `_`. The values in it can be read by everyone who gets it.
public struct PageCursor: Hashable, Sendable {
    /// The hash of the request's signature.
    let request: UInt64
    /// The encoded values of the sort's fields.
    let keys: [[UInt8]]
    let id: RecordID

    init(request: UInt64, keys: [[UInt8]], id: RecordID) {
        (self.request, self.keys, self.id) = (request, keys, id)
    }

    /// The hash of a signature.
    static func hash(_ signature: String) -> UInt64 {
        Array(signature.utf8).withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }

    /// The cursor as text.
    public var text: String {
        var writer = CBORWriter()
        writer.appendArrayHead(3)
        writer.append(request)
        writer.appendArrayHead(keys.count)
        for key in keys { writer.append(bytes: key) }
        writer.append(bytes: id.bytes.array)
        return Data(writer.array).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The cursor with this text; nil if the text is of none.
    public init?(text: String) {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64),
            let cursor = try? PageCursor(cbor: [UInt8](data))
        else { return nil }
        self = cursor
    }

    private init(cbor bytes: [UInt8]) throws(CBORError) {
        self = try bytes.withBytes { bytes throws(CBORError) in
            var reader = CBORReader(bytes)
            guard try reader.readArrayHead() == 3 else { throw CBORError(.doesNotFit, at: 0) }
            let request: UInt64 = try reader.readInteger()
            var keys: [[UInt8]] = []
            for _ in 0..<(try reader.readArrayHead()) {
                keys.append([UInt8](try reader.readBytes()))
            }
            let id = RecordID(ByteString(try reader.readBytes()))
            try reader.finish()
            return PageCursor(request: request, keys: keys, id: id)
        }
    }
}

extension PageCursor: Codable {
    /// Reads the text of a cursor; throws `DecodingError` if it is of none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = PageCursor(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is not that of a page cursor.")
        }
        self = cursor
    }

    /// Writes the cursor as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension StoreError {
    /// The error of a cursor that was given to another request than the one that made it.
    static func invalidCursor(of entity: String, cause: String? = nil) -> StoreError {
        StoreError(
            .invalidCursor,
            "the cursor is not one of this request of \"\(entity)\": its filter, its sort or its "
                + "entity differs. Continue with the request that gave the cursor, or begin "
                + "without one", at: Place(entity: entity), cause: cause)
    }

    /// The error of a page with a limit that would make no progress.
    static func invalidPageLimit(_ limit: Int, of entity: String) -> StoreError {
        StoreError(
            .invalidInput, "a page has at least one record; its limit is \(limit)",
            at: Place(entity: entity))
    }
}

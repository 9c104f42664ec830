/// Decodes `Codable` values from CBOR.
///
///     let restaurant = try CBORDecoder().decode(Restaurant.self, from: bytes)
///
/// Everything that `CBOREncoder` writes is decoded exactly. Integers and floats are read in any
/// width, if the requested type holds their value. Bytes that are not well formed are an error,
/// never a trap. It throws `DecodingError`s, with a `CBORError` underneath if the bytes are the
/// cause, and what user code throws.
///
/// Like `CBOREncoder` it has only its options as state, and may be used from any thread.
package struct CBORDecoder: Sendable {
    /// Passed on to the `init(from:)` of the decoded types.
    package var userInfo: [CodingUserInfoKey: any Sendable]

    package init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// The value that `bytes` encode; they must be one whole CBOR item. O(n · depth).
    package func decode<T: Decodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer
    ) throws -> T {
        var unused = FieldRequests()
        return try decode(type, from: bytes, &unused)
    }

    /// The value that `bytes` encode; they must be one whole CBOR item. O(n · depth).
    package func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// The value that `bytes` encode, and the fields of the outermost map for which the type asked,
    /// also if this throws.
    func decode<T: Decodable>(
        _ type: T.Type, from bytes: [UInt8], _ requests: inout FieldRequests
    ) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0, &requests) }
    }

    private func decode<T: Decodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer, _ requests: inout FieldRequests
    ) throws -> T {
        let context = DecodingContext.begin()
        defer {
            requests = context.state.pointee.requests
            context.end()
        }
        guard UInt32(exactly: bytes.count) != nil else {
            throw context.error(CBORError(.tooLarge, at: 0), type)
        }
        context.state.pointee.bytes = bytes
        if !userInfo.isEmpty { context.state.pointee.userInfo = userInfo }
        let value = try context.decode(type, at: 0, depth: 0)
        try checkEnd(context, type)
        return value
    }

    /// Throws if bytes follow the outermost item.
    private func checkEnd(_ context: DecodingContext, _ type: Any.Type) throws {
        do {
            var reader = context.reader(at: context.state.pointee.end ?? 0)
            if context.state.pointee.end == nil { try reader.skipValue() }
            try reader.finish()
        } catch {
            throw context.error(error, type, item: 0)
        }
    }
}

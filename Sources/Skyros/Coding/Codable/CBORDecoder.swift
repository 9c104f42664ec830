/// Decodes `Codable` values straight from CBOR.
///
///     let restaurant = try CBORDecoder().decode(Restaurant.self, from: bytes)
///
/// Everything that `CBOREncoder` writes comes back exactly. Integers and floats are read in
/// any width and only if the requested type holds their value; bytes that are not well formed
/// are an error, never a trap. Errors are `DecodingError`s, with a `CBORError` beneath where
/// the bytes are to blame, and what user code throws.
///
/// Like `CBOREncoder` it holds nothing but its options and may be used from anywhere.
package struct CBORDecoder: Sendable {
    /// Passed on to the `init(from:)` of the decoded types.
    package var userInfo: [CodingUserInfoKey: any Sendable]

    package init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// The value whose CBOR `bytes` are, all of them. O(n · depth).
    package func decode<T: Decodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer
    ) throws -> T {
        let session = DecodingContext.begin()
        defer { session.end() }
        guard UInt32(exactly: bytes.count) != nil else {
            throw session.error(CBORError(.tooLarge, at: 0), type)
        }
        session.state.pointee.bytes = bytes
        if !userInfo.isEmpty { session.state.pointee.userInfo = userInfo }
        let value = try session.decode(type, at: 0, depth: 0)
        try checkEnd(session, type)
        return value
    }

    /// The value whose CBOR `bytes` are, all of them. O(n · depth).
    package func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Throws unless the outermost item ends where the bytes end.
    private func checkEnd(_ session: DecodingContext, _ type: Any.Type) throws {
        do {
            var reader = session.reader(at: session.state.pointee.end ?? 0)
            if session.state.pointee.end == nil { try reader.skipValue() }
            try reader.finish()
        } catch {
            throw session.error(error, type, item: 0)
        }
    }
}

/// Decodes `Codable` values straight from CBOR.
///
///     let restaurant = try CBORDecoder().decode(Restaurant.self, from: bytes)
///
/// Numbers are exact: an integer that does not fit its type is an error, and a floating-point
/// type takes an integer only if it holds it exactly. Errors are `DecodingError`s and what user
/// code throws. Hostile bytes give errors, never traps: lengths are checked against what is left,
/// and nesting is limited.
///
/// It holds nothing but its options and may be used from several threads.
package struct CBORDecoder: Sendable {
    /// Passed on to the `init(from:)` of the decoded types.
    package var userInfo: [CodingUserInfoKey: any Sendable]

    package init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// The value whose CBOR is `bytes`. O(n), and O(f²) in the fields of a map that are asked
    /// for in another order than the stored one.
    package func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// The value whose CBOR is `bytes`.
    package func decode<T: Decodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer
    ) throws -> T {
        var reader = CBORReader(bytes)
        let frame = DecodingFrame(bytes, at: 0, parent: nil, key: nil, userInfo: userInfo)
        do throws(CBORError) {
            _ = try reader.skipValue()
            try reader.finish()
        } catch {
            throw frame.corrupted(error, nil)
        }
        return try frame.decode(type, at: 0, nil)
    }
}

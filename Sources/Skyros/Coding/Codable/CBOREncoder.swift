/// Encodes `Codable` values to canonical CBOR.
///
///     let bytes = try CBOREncoder().encode(restaurant)
///
/// The same value always gives the same bytes, in whatever order its fields are encoded and its
/// sets and dictionaries iterate. It throws `EncodingError`s and what user code throws.
///
/// It has only its options as state; buffers are kept per thread. So an encoder may be made for a
/// single call, used from several threads, and called from a user's `encode(to:)`.
package struct CBOREncoder: Sendable {
    /// Passed on to the `encode(to:)` of the encoded types.
    package var userInfo: [CodingUserInfoKey: any Sendable]

    package init(userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
        self.userInfo = userInfo
    }

    /// The canonical CBOR of `value`. O(n log n) in the number of a map's fields, else O(n).
    package func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withEncoded(value) { bytes = [UInt8]($0) }
        return bytes
    }

    /// Appends the canonical CBOR of `value`; on an error, nothing is appended.
    package func append<T: Encodable>(_ value: T, to writer: inout CBORWriter) throws {
        try withEncoded(value) { writer.append(raw: $0) }
    }

    /// Calls `body` with the canonical CBOR of `value`, which is valid for the call only.
    package func withEncoded<T: Encodable>(
        _ value: T, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let context = EncodingContext.begin()
        defer { context.end() }
        if !userInfo.isEmpty { context.state.pointee.userInfo = userInfo }
        // The outermost frame: every value has one.
        _ = context.state.pointee.pushFrame(.value, depth: 0)
        try context.encode(value)
        try context.withBytes(body)
    }
}

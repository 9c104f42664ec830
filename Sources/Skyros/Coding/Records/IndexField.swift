/// The name of an indexed field, prepared for a search in many records.
package struct IndexField: Hashable, Sendable, ExpressibleByStringLiteral {
    package let name: String
    private let utf8: [UInt8]
    /// The name as the beginning of an encoded key, see `KeyPrefix`.
    let word: UInt64
    /// The values that today's type writes into the field.
    let expected: ExpectedValue

    package init(_ name: String) {
        self.init(name, expected: .any)
    }

    init(_ name: String, expected: ExpectedValue) {
        self.name = name
        self.expected = expected
        utf8 = [UInt8](name.utf8)
        word = utf8.withUnsafeBytes { KeyPrefix.word(of: $0) }
    }

    package init(stringLiteral value: String) {
        self.init(value)
    }

    @inline(__always)
    func matches(_ key: KeyPrefix, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard key.word == word else { return false }
        return utf8.count < 8 || utf8.withUnsafeBytes { bytes.equals($0, at: key.range) }
    }
}

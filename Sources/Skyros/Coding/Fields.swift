/// Named values: a record's fields, or those of them that changed.
///
/// They are kept as the canonical CBOR map that is stored, so comparing them is comparing bytes.
public struct Fields: Hashable, Sendable {
    package let encoded: [UInt8]

    package init(encoded: [UInt8]) {
        self.encoded = encoded
    }

    /// No fields.
    public init() {
        encoded = [CBORFormat.Byte.emptyMap]
    }

    /// The fields with these names and values.
    public init(_ values: [String: FieldValue]) {
        encoded = FieldValue.map(values).encoded
    }

    /// The value of a field; nil if there is no such field. O(size of the fields).
    public subscript(_ name: String) -> FieldValue? {
        encoded.withUnsafeBytes { bytes in
            guard let range = try? CBORReader.valueRange(of: name, inMap: bytes) else {
                return nil
            }
            return try? FieldValue(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    /// All names and values, in canonical order.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the bytes are damaged.
    public func values() throws -> [(name: String, value: FieldValue)] {
        do {
            return try encoded.withUnsafeBytes { bytes in
                var values: [(name: String, value: FieldValue)] = []
                var fields = try CBORFields(bytes)
                while let field = try fields.next() {
                    let name = String(decoding: bytes[field.key], as: UTF8.self)
                    let range = UnsafeRawBufferPointer(rebasing: bytes[field.value])
                    values.append((name, try FieldValue(decoding: range)))
                }
                return values
            }
        } catch {
            throw StoreError(
                .notDecodable, "the fields cannot be read", cause: String(describing: error))
        }
    }

    /// All values by name.
    public var dictionary: [String: FieldValue] {
        get throws {
            Dictionary(uniqueKeysWithValues: try values().map { ($0.name, $0.value) })
        }
    }

    /// The fields as one value.
    public var value: FieldValue {
        get throws { .map(try dictionary) }
    }

    /// The canonical order of names: shorter first, then by their UTF-8.
    public static func precedes(_ a: String, _ b: String) -> Bool {
        let (left, right) = (a.utf8, b.utf8)
        if left.count != right.count { return left.count < right.count }
        return left.lexicographicallyPrecedes(right)
    }
}

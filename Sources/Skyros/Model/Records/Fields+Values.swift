extension Fields {
    /// The value of a field; nil if there is no such field. O(size of the fields).
    public subscript(_ name: String) -> FieldValue? {
        try? value(of: name)
    }

    /// All values by name.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the bytes are damaged.
    public var values: NamedValues<FieldValue> {
        get throws {
            try StoreError.wrapping(.notDecodable, "the fields cannot be read") { try readValues() }
        }
    }

    /// The fields as one value.
    public var value: FieldValue {
        get throws { .map(try values) }
    }

    /// The canonical order of names: shorter first, then by their UTF-8.
    public static func precedes(_ a: String, _ b: String) -> Bool {
        a.isNameBefore(b)
    }
}

// Fields by name, as values of Swift types, with typed errors.

extension Record {
    /// The value of a field.
    ///
    ///     let name = try record.value("name", as: String.self)
    ///     let age = try record.value("age", as: Int?.self)         // nil if it is null or absent
    ///
    /// A record without its type knows only the fields that it has: an optional value of a field
    /// that does not exist is nil.
    ///
    /// - Throws: `StoreError` with `.unknownField` if the record lacks the field and `type` is no
    ///   optional, `.notDecodable` if its value does not fit the type. O(n).
    public func value<V: Decodable>(_ field: String, as type: V.Type = V.self) throws -> V {
        try StoreError.wrap { try fields.read(field, as: type, of: entity, id) }
    }

    /// The value of a field that a key names, as of `CodingKeys`. Errors as above.
    public func value<V: Decodable>(
        _ key: some RawRepresentable<String>, as type: V.Type = V.self
    ) throws -> V {
        try value(key.rawValue, as: type)
    }

    /// The value of a field that is stored in another form. Errors as above, also those of the
    /// transform.
    ///
    ///     let site = try record.value("site", by: .urlText)
    public func value<V, S>(_ field: String, by transform: FieldTransform<V, S>) throws -> V {
        let stored = try value(field, as: S.self)
        return try loading(field) { try transform.load(stored) }
    }

    /// The value of a field that is stored in another form; nil if it is null or absent.
    public func value<V, S>(
        _ field: String, by transform: FieldTransform<V, S>, as type: V?.Type
    ) throws -> V? {
        guard let stored = try value(field, as: S?.self) else { return nil }
        return try loading(field) { try transform.load(stored) }
    }

    private func loading<V>(_ field: String, _ load: () throws -> V) throws -> V {
        try StoreError.wrapping(
            .notDecodable, "the field \"\(field)\" of \"\(entity)\" \(id) cannot be transformed",
            at: StoreError.Place(entity: entity, ids: [id], field: field), load)
    }

    /// Sets a field to a value of a Swift type; nil removes it.
    ///
    ///     try record.set("age", to: 40)
    ///     try record.set("site", to: URL(string: "https://skyros.example"))
    ///
    /// - Throws: `StoreError` with `.notEncodable` if the value cannot be encoded.
    @_disfavoredOverload
    public mutating func set(_ field: String, to value: some Encodable) throws {
        self = try storing(field) { record in
            let stored = try FieldValue(value)
            try record.set(field, to: stored == .null ? nil : stored)
        }
    }

    /// Sets the field that a key names, as of `CodingKeys`; nil removes it. Errors as above.
    public mutating func set(
        _ key: some RawRepresentable<String>, to value: some Encodable
    ) throws {
        try set(key.rawValue, to: value)
    }

    /// Sets a field to the form in which a value is stored; nil removes it. Errors as above, also
    /// those of the transform.
    ///
    ///     try record.set("site", to: url, by: .urlText)
    public mutating func set<V, S>(
        _ field: String, to value: V?, by transform: FieldTransform<V, S>
    ) throws {
        self = try storing(field) { record in
            try record.set(field, to: value.map { try FieldValue(transform.store($0)) })
        }
    }

    /// Sets fields, all or none; nil removes a field.
    ///
    ///     try record.set(["firstname": "Jo", "age": nil])
    ///
    /// - Throws: `StoreError` with `.notEncodable` if a value is nested too deeply.
    public mutating func set(_ values: [String: FieldValue?]) throws {
        var changed = self
        for (field, value) in NamedValues(values) {
            changed = try changed.storing(field) { try $0.set(field, to: value) }
        }
        self = changed
    }

    /// Sets the fields that keys name, all or none; nil removes a field. Errors as above.
    public mutating func set<K: RawRepresentable<String> & Hashable>(
        _ values: [K: FieldValue?]
    ) throws {
        try set([String: FieldValue?](values.map { ($0.rawValue, $1) }) { $1 })
    }

    /// The record after a change of one field.
    private func storing(
        _ field: String, _ change: (inout Record) throws -> Void
    ) throws -> Record {
        try StoreError.wrapping(
            .notEncodable, "the field \"\(field)\" of \"\(entity)\" \(id) cannot be set",
            at: StoreError.Place(entity: entity, ids: [id], field: field)
        ) {
            var record = self
            try change(&record)
            return record
        }
    }
}

extension Fields {
    /// The value of a field of a record.
    ///
    /// - Throws: `StoreError` with `.unknownField` or `.notDecodable`.
    func read<V: Decodable>(
        _ field: String, as type: V.Type, of entity: String, _ id: RecordID
    ) throws -> V {
        let value = try value(of: field)
        let isOptional = type is any OptionalType.Type
        if value == nil, !isOptional {
            throw StoreError.unknownField([field], of: entity, [id], known: names)
        }
        return try StoreError.wrapping(
            .notDecodable,
            "the field \"\(field)\" of \"\(entity)\" \(id) is no \(type)",
            at: StoreError.Place(entity: entity, ids: [id], field: field)
        ) { try (value ?? .null).decode(as: type) }
    }
}

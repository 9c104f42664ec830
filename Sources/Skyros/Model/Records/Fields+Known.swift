import SkyrosLog

extension Fields {
    /// Whether there is a field of this name, also if it is null. O(n).
    func has(_ name: String) -> Bool {
        let range = try? bytes.withBytes { bytes throws(CBORError) in
            try CBORReader.valueRange(of: name, inMap: bytes)
        }
        return range != nil
    }

    /// Whether a type asks for a field when it reads a record with these fields, or with null in
    /// the field if it is absent. O(n), with decoding.
    func isRead(_ name: String, by type: any Entity.Type) -> Bool {
        unread([name], by: type).isEmpty
    }

    /// Those of the fields for which a type does not ask when it reads these fields, or null in
    /// those that are absent. O(n), with decoding.
    func unread(_ names: [String], by type: any Entity.Type) -> [String] {
        var probe = self
        for name in names where !has(name) {
            // Null nests nowhere.
            try? probe.set(name, to: .null)
        }
        var requests = FieldRequests()
        func read<E: Entity>(_ type: E.Type) {
            _ = try? CBORDecoder().decode(type, from: probe.bytes, &requests)
        }
        read(type)
        let places = probe.names
        return names.filter { name in
            guard let place = places.firstIndex(where: { $0.isSameName(as: name) }) else {
                return true
            }
            return !requests.contains(place)
        }
    }
}

extension StoreError {
    /// The error of a name that no field has.
    static func unknownField(
        _ names: [String], of entity: String, _ ids: [RecordID] = [], known: [String]
    ) -> StoreError {
        let wrong = names.map { "\"\($0.spelled(besides: known))\"" }.joined(separator: ", ")
        let right = known.map { "\"\($0)\"" }.joined(separator: ", ")
        return StoreError(
            .unknownField,
            "\"\(entity)\" has no field \(wrong); the fields of its record are \(right)",
            at: Place(entity: entity, ids: ids, field: names.first))
    }
}

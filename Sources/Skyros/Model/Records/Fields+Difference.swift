extension Fields {
    /// What differs between two canonical maps: the changed fields before and after, each as a
    /// canonical map; nil if nothing does.
    ///
    /// A field that is missing on one side is left out there. O(size of the maps).
    static func difference(
        from old: [UInt8], to new: [UInt8]
    ) throws(CBORError) -> (before: [UInt8], after: [UInt8])? {
        if old == new { return nil }
        var before = MapBuilder()
        var after = MapBuilder()
        try walk(old, new) { left, right in
            if let left, let right, left.equals(right) { return }
            if let left { before.append(left) }
            if let right { after.append(right) }
        }
        return (before.finished, after.finished)
    }

    /// The canonical map `old` with the fields of `after` set, and those that are only in
    /// `before` removed. O(size of the maps).
    static func merge(
        _ old: [UInt8], before: [UInt8], after: [UInt8]
    ) throws(CBORError) -> [UInt8] {
        var kept = MapBuilder()
        try walk(old, before) { left, right in
            if let left, right == nil { kept.append(left) }
        }
        var merged = MapBuilder()
        try walk(kept.finished, after) { left, right in
            if let field = right ?? left { merged.append(field) }
        }
        return merged.finished
    }

    /// One field as it is stored: key and value.
    struct StoredField {
        let bytes: UnsafeRawBufferPointer
        let keySize: Int

        var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<keySize]) }

        func equals(_ other: StoredField) -> Bool {
            bytes.compare(other.bytes) == 0
        }

        /// Canonical order compares encoded keys as bytes: shorter keys have smaller heads.
        func compareKey(_ other: StoredField) -> Int {
            key.compare(other.key)
        }
    }

    /// Calls `body` for each key of either map, in canonical order, with its field on both sides.
    private static func walk(
        _ left: [UInt8], _ right: [UInt8], _ body: (StoredField?, StoredField?) -> Void
    ) throws(CBORError) {
        let result = left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                Result { () throws(CBORError) in try walk(left, right, body) }
            }
        }
        try result.get()
    }

    private static func walk(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer,
        _ body: (StoredField?, StoredField?) -> Void
    ) throws(CBORError) {
        var leftFields = try CBORFields(left)
        var rightFields = try CBORFields(right)
        var a = try next(&leftFields, left)
        var b = try next(&rightFields, right)
        while true {
            switch (a, b) {
            case (nil, nil): return
            case (let first?, let second?):
                let order = first.compareKey(second)
                body(order <= 0 ? first : nil, order >= 0 ? second : nil)
                if order <= 0 { a = try next(&leftFields, left) }
                if order >= 0 { b = try next(&rightFields, right) }
            case (let first?, nil):
                body(first, nil)
                a = try next(&leftFields, left)
            case (nil, let second?):
                body(nil, second)
                b = try next(&rightFields, right)
            }
        }
    }

    private static func next(
        _ fields: inout CBORFields, _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> StoredField? {
        guard let field = try fields.next() else { return nil }
        return StoredField(
            bytes: UnsafeRawBufferPointer(rebasing: bytes[field.range]),
            keySize: field.key.upperBound - field.start)
    }

    /// Collects fields that come in canonical order.
    private struct MapBuilder {
        private var content: [UInt8] = []
        private var count = 0

        mutating func append(_ field: StoredField) {
            content.append(contentsOf: field.bytes)
            count += 1
        }

        var finished: [UInt8] {
            var writer = CBORWriter(capacity: content.count + 9)
            writer.appendMapHead(count)
            writer.append(raw: content)
            return writer.array
        }
    }
}

import SkyrosLog

/// The references in stored records, which are read and changed without decoding the records.
extension RelationDefinition {
    /// The ids that a record refers to, in their order, with repetitions. O(size of the record).
    func targets(of record: [UInt8]) throws(CBORError) -> [RecordID] {
        var targets: [RecordID] = []
        try forEachTarget(of: record) { targets.append($0) }
        return targets
    }

    /// Calls `body` with each id that a record refers to, in their order, with repetitions.
    func forEachTarget(of record: [UInt8], _ body: (RecordID) -> Void) throws(CBORError) {
        try record.withBytes { record throws(CBORError) in
            try forEachReference(in: record) { target in
                body(RecordID(ByteString(target)))
                return true
            }
        }
    }

    /// Whether a record refers to the record with this id. O(size of the record).
    func refers(_ record: [UInt8], to id: RecordID) throws(CBORError) -> Bool {
        var isFound = false
        try record.withBytes { record throws(CBORError) in
            try forEachReference(in: record) { target in
                isFound = id.bytes.withUnsafeBytes { target.compare($0) == 0 }
                return !isFound
            }
        }
        return isFound
    }

    /// Whether two records hold the same references in the same order. O(size of the records).
    func areEqual(_ a: [UInt8], _ b: [UInt8]) throws(CBORError) -> Bool {
        try a.withBytes { a throws(CBORError) in
            try b.withBytes { b throws(CBORError) in
                switch (try field.value(in: a), try field.value(in: b)) {
                case (nil, nil): true
                case (let range?, let other?):
                    UnsafeRawBufferPointer(rebasing: a[range])
                        .compare(UnsafeRawBufferPointer(rebasing: b[other])) == 0
                default: false
                }
            }
        }
    }

    /// The record without the references to some others: a list without these elements, or without
    /// the field. O(size of the record).
    func removing(_ targets: Set<RecordID>, from record: [UInt8]) throws(CBORError) -> [UInt8] {
        var result = FieldCollector()
        try record.withBytes { record throws(CBORError) in
            var cursor = try RecordCursor(record)
            while let entry = cursor.current {
                if !field.matches(entry.key, in: record) {
                    result.append(cursor.field)
                } else if description.kind == .many {
                    let key = UnsafeRawBufferPointer(
                        rebasing: record[entry.start..<entry.value.lowerBound])
                    let list = try Self.list(in: entry.value, of: record, without: targets)
                    result.append(key, list)
                } else if !targets.contains(Self.id(entry.value, of: record)) {
                    result.append(cursor.field)
                }
                try cursor.advance()
            }
        }
        return result.map
    }

    private static func list(
        in range: Range<Int>, of record: UnsafeRawBufferPointer, without targets: Set<RecordID>
    ) throws(CBORError) -> [UInt8] {
        var kept: [Range<Int>] = []
        var elements = try ListElements(record, in: range)
        while let element = try elements.next() {
            if !targets.contains(id(element, of: record)) { kept.append(element) }
        }
        var list = CBORWriter(capacity: range.count)
        list.appendArrayHead(kept.count)
        for element in kept { list.append(raw: UnsafeRawBufferPointer(rebasing: record[element])) }
        return list.array
    }

    private static func id(_ range: Range<Int>, of record: UnsafeRawBufferPointer) -> RecordID {
        RecordID(ByteString(UnsafeRawBufferPointer(rebasing: record[range])))
    }

    /// Calls `body` with the encoded id of each reference, until it returns false. Null is none.
    private func forEachReference(
        in record: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(CBORError) -> Bool
    ) throws(CBORError) {
        guard let range = try field.value(in: record) else { return }
        guard description.kind == .many else {
            let value = UnsafeRawBufferPointer(rebasing: record[range])
            if value.first != CBORFormat.Byte.null { _ = try body(value) }
            return
        }
        var elements = try ListElements(record, in: range)
        while let element = try elements.next() {
            let value = UnsafeRawBufferPointer(rebasing: record[element])
            if value.first != CBORFormat.Byte.null, try !body(value) { return }
        }
    }
}

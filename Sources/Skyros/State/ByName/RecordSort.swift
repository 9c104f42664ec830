/// One key of a sort by the stored name of a field, and a direction. If all keys are equal, ids
/// decide.
///
///     try snapshot.records("Person", sortedBy: [.ascending("lastname"), .descending("firstname")])
///
/// The order is that of ids, see ``RecordID``: values of different kinds by their kind, numbers by
/// value, texts by their UTF-8. Null, or no such field, comes before any value.
public struct RecordSort: Hashable, Sendable {
    /// The name under which the field is stored.
    public let field: String
    /// Whether smaller values come first.
    public let isAscending: Bool

    /// Smaller values first.
    public static func ascending(_ field: String) -> RecordSort {
        RecordSort(field: field, isAscending: true)
    }

    /// Smaller values first, by a key, as of `CodingKeys`.
    public static func ascending(_ key: some RawRepresentable<String>) -> RecordSort {
        .ascending(key.rawValue)
    }

    /// Greater values first.
    public static func descending(_ field: String) -> RecordSort {
        RecordSort(field: field, isAscending: false)
    }

    /// Greater values first, by a key, as of `CodingKeys`.
    public static func descending(_ key: some RawRepresentable<String>) -> RecordSort {
        .descending(key.rawValue)
    }
}

extension RecordSort {
    private static let null: [UInt8] = [CBORFormat.Byte.null]

    /// The encoded value of the field in a record; null if it lacks the field.
    func value(in record: [UInt8]) throws -> [UInt8] {
        try record.withUnsafeBytes { bytes in
            let range = try CBORReader.valueRange(of: field, inMap: bytes)
            return range.map { [UInt8](bytes[$0]) } ?? Self.null
        }
    }
}

/// The values by which a record is sorted, and its id.
struct RecordSortKey {
    let values: [[UInt8]]
    let id: RecordID

    /// Whether the record comes before another one.
    func precedes(_ other: RecordSortKey, _ sort: [RecordSort]) -> Bool {
        for (index, key) in sort.enumerated() {
            let order = IDOrder.compareValues(values[index], other.values[index])
            if order != 0 { return key.isAscending ? order < 0 : order > 0 }
        }
        return id < other.id
    }
}

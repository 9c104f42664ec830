/// An index without its entity's Swift type: which stored fields, in which order.
package struct IndexDefinition: Hashable, Sendable {
    /// Names of stored fields; the first decides first.
    package let fields: [String]
    /// Whether two records may not have the same values. Records that lack a field, or hold
    /// null in it, are exempt.
    package let isUnique: Bool
    /// What stands in the fields of records that today's type has written; empty if not known.
    private let expectations: [ExpectedValue]
    private let keyFields: [IndexField]

    package init(fields: [String], isUnique: Bool) {
        self.init(fields: fields, isUnique: isUnique, expectations: [])
    }

    init(fields: [String], isUnique: Bool, expectations: [ExpectedValue]) {
        self.fields = fields
        self.isUnique = isUnique
        self.expectations = expectations
        keyFields = fields.map { IndexField($0) }
    }

    /// The key under which a record stands. O(size of the record).
    func key(of record: [UInt8]) throws(CBORError) -> ByteString {
        try record.withBytes { bytes throws(CBORError) in
            try IndexKey.make(fields: keyFields, record: bytes)
        }
    }

    /// The key under which a record stands; nil if one of the fields is null or absent.
    func keyIfComplete(of record: [UInt8]) throws(CBORError) -> ByteString? {
        let isComplete = try record.withBytes { bytes throws(CBORError) in
            for field in fields {
                guard let range = try CBORReader.valueRange(of: field, inMap: bytes),
                    bytes[range.lowerBound] != CBORFormat.Byte.null
                else { return false }
            }
            return true
        }
        return isComplete ? try key(of: record) : nil
    }

    /// Whether a record that stands under `key` could have been written by today's type.
    ///
    /// If not, an older type wrote it, and `init(from:)` may make any value of it, such as a
    /// default where there is no field: filters and sorts must look at the value itself.
    func isExpected(_ key: ByteString) -> Bool {
        IndexKey.allComponents(of: key) { place, rank in
            place >= expectations.count || expectations[place].allows(rank)
        }
    }
}

/// Which values a type writes into a field, by their ranks in index keys.
struct ExpectedValue: Hashable, Sendable {
    /// Nil for any.
    let ranks: ClosedRange<UInt8>?
    let mayBeNull: Bool

    func allows(_ rank: UInt8) -> Bool {
        if rank == IndexKey.Rank.null, mayBeNull { return true }
        return ranks?.contains(rank) ?? (rank != IndexKey.Rank.null)
    }
}

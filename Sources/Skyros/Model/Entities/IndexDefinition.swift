import SkyrosLog

/// An index without its entity's Swift type: the stored fields, in order.
package struct IndexDefinition: Sendable {
    /// Names of stored fields, the most significant first.
    package let fields: [String]
    /// Whether two records may not have the same values. Records that lack a field, or hold
    /// null in it, are exempt.
    package let isUnique: Bool
    /// The fields of the entity's Swift type, for planning queries; empty where it is not known.
    let fieldIDs: [FieldID]
    private let keyFields: [IndexField]

    package init(fields: [String], isUnique: Bool) {
        self.init(keyFields: fields.map { IndexField($0) }, isUnique: isUnique, fieldIDs: [])
    }

    init(keyFields: [IndexField], isUnique: Bool, fieldIDs: [FieldID]) {
        self.fieldIDs = fieldIDs
        self.keyFields = keyFields
        self.isUnique = isUnique
        fields = keyFields.map(\.name)
    }

    /// The key of a record, and whether its values are those that today's type writes. O(size of
    /// the record).
    func checkedKey(of record: [UInt8]) throws(CBORError) -> IndexKey.Checked {
        try record.withBytes { bytes throws(CBORError) in
            try IndexKey.makeChecked(fields: keyFields, record: bytes)
        }
    }

    /// The key of a record; nil if one of the fields is null or absent.
    func keyIfComplete(of record: [UInt8]) throws(CBORError) -> ByteString? {
        let isComplete = try record.withBytes { bytes throws(CBORError) in
            for field in fields {
                guard let range = try CBORReader.valueRange(of: field, inMap: bytes),
                    bytes[range.lowerBound] != CBORFormat.Byte.null
                else { return false }
            }
            return true
        }
        return isComplete ? try checkedKey(of: record).key : nil
    }
}

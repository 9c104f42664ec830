import SkyrosLog

/// An index without its entity's Swift type: the stored fields, in order.
package struct IndexDefinition: Sendable {
    /// Names of stored fields, the most significant first.
    package let fields: [String]
    /// Whether two records may not have the same values. Records that lack a field, or hold
    /// null in it, are exempt.
    package let isUnique: Bool
    /// Whether the index has an entry for each element of a list, and none of other values.
    let isMultiValued: Bool
    /// The fields of the entity's Swift type, for planning queries; empty where it is not known.
    let fieldIDs: [FieldID]
    /// The connection with the key paths of the entity's Swift type; nil where it is not known.
    let binding: IndexBinding?
    private let keyFields: [IndexField]
    /// The steps of the entity's evolution, if one of them may change an indexed field.
    private(set) var evolver: Evolver?
    private(set) var entity = ""
    /// The last version whose steps may change an indexed field.
    private(set) var lastTouch = 0

    package init(fields: [String], isUnique: Bool) {
        self.init(keyFields: fields.map { IndexField($0) }, isUnique: isUnique, fieldIDs: [])
    }

    init(
        keyFields: [IndexField], isUnique: Bool, fieldIDs: [FieldID],
        binding: IndexBinding? = nil, isMultiValued: Bool = false
    ) {
        self.isMultiValued = isMultiValued
        self.binding = binding
        self.fieldIDs = fieldIDs
        self.keyFields = keyFields
        self.isUnique = isUnique
        fields = keyFields.map(\.name)
    }

    /// The same index over the values that steps make of older records.
    func evolved(by evolver: Evolver?, of entity: String) -> IndexDefinition {
        var definition = self
        definition.entity = entity
        let last = evolver?.versions.last { $0.touches(fields) }
        definition.evolver = last == nil ? nil : evolver
        definition.lastTouch = last?.number ?? 0
        return definition
    }

    /// Whether the keys of a field have the order of its stored values: not those of arrays, maps
    /// and other values that are indexed by their bytes.
    func hasOrder(at position: Int) -> Bool {
        keyFields[position].expected.ranks.upperBound < IndexKey.Rank.other
    }

    /// The ranks of the values that today's type writes into the first field.
    var firstRanks: ClosedRange<UInt8>? { keyFields.first?.expected.ranks }

    /// The key of a record, and whether its values are those that today's type writes. O(size of
    /// the record).
    func checkedKey(of record: [UInt8]) throws(CBORError) -> IndexKey.Checked {
        try record.withBytes { bytes throws(CBORError) in
            try IndexKey.makeChecked(fields: keyFields, record: bytes)
        }
    }

    /// The keys of the elements of a list, each once, in ascending order. O(size of the record).
    func elementKeys(of record: [UInt8]) throws(CBORError) -> [ByteString] {
        guard let field = keyFields.first else { return [] }
        return try record.withBytes { bytes throws(CBORError) in
            try IndexKey.elements(of: field, record: bytes)
        }
    }

    /// Calls `body` with each key that the index has of a record.
    func forEachKey(
        of record: [UInt8], _ body: (ByteString) throws(CBORError) -> Void
    ) throws(CBORError) {
        guard isMultiValued else { return try body(checkedKey(of: record).key) }
        for key in try elementKeys(of: record) { try body(key) }
    }

    /// The key of the values that are read from a record; nil if one of them is nil. O(size of the
    /// record).
    ///
    /// It is not the key in the index if the record is of an older shape: then the record is
    /// decoded.
    func currentKey(of record: [UInt8]) throws(CBORError) -> ByteString? {
        let checked = try checkedKey(of: record)
        guard let binding, isOlder(checked) else { return checked.isComplete ? checked.key : nil }
        return binding.key(reading: record)
    }

    /// Whether the values that are read from a record may differ from the stored ones.
    func isOlder(_ key: IndexKey.Checked) -> Bool {
        guard let binding else { return false }
        return !key.isExpected || (!key.isComplete && binding.isRefuted)
    }
}

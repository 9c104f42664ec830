/// A comparison of a field with a value, given as its index key, that an index can answer.
struct Condition: Sendable {
    enum Operation: Sendable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
        /// The field is a text whose bytes begin with those of the key.
        case prefix
        /// The field is not nil.
        case present
    }

    let field: FieldReference
    let operation: Operation
    /// The component of the value in index keys; of a prefix, without its end mark.
    let key: ByteString
    /// The only id that fulfils the condition; nil if the field is not the id, or if ids of other
    /// bytes could be equal to it.
    let id: RecordID?

    private init(
        field: FieldReference, _ operation: Operation, key: ByteString, id: RecordID? = nil
    ) {
        (self.field, self.operation, self.key, self.id) = (field, operation, key, id)
    }

    /// Makes a condition; nil if the order of keys and that of values may differ, or if the value
    /// is NaN, which equals nothing.
    init?(
        _ field: FieldID, of type: Any.Type, _ operation: Operation, _ value: some Encodable,
        isID: Bool = false
    ) {
        let needed: KeyOrder = operation == .equal ? .equality : .full
        guard KeyOrder.of(type) >= needed, let checked = IndexKey.component(of: value) else {
            return nil
        }
        let id = isID && operation == .equal ? RecordID.unique(equalTo: value) : nil
        self.init(.property(field), operation, checked, id: id)
    }

    /// Makes a condition on a stored field; nil as above.
    init?(_ field: FieldReference, _ operation: Operation, _ checked: IndexKey.Checked) {
        self.init(field, operation, checked, id: nil)
    }

    private init?(
        _ field: FieldReference, _ operation: Operation, _ checked: IndexKey.Checked,
        id: RecordID?
    ) {
        guard checked.isExpected, operation == .equal || checked.isRegular else { return nil }
        let rank = checked.key.withUnsafeBytes { $0.first }
        if rank == IndexKey.Rank.nan || rank == IndexKey.Rank.noDate { return nil }
        self.init(field: field, operation, key: checked.key, id: id)
    }

    /// The texts that begin with another one, and maybe further ones: of texts in normal form C, a
    /// text that begins with characters also begins with their bytes.
    static func prefix(_ field: FieldReference, _ text: String) -> Condition? {
        guard let checked = IndexKey.component(of: text), checked.isExpected else { return nil }
        let withoutEnd = ByteString(Array(checked.key.array.dropLast()))
        return Condition(field: field, .prefix, key: withoutEnd)
    }

    /// The condition that holds where this one does not; nil if there is no single one.
    var negated: Condition? {
        let null = ByteString([IndexKey.Rank.null])
        let (no, yes) = (ByteString([IndexKey.Rank.false]), ByteString([IndexKey.Rank.true]))
        switch operation {
        case .present: return Condition(field: field, .equal, key: null)
        case .equal where key == null: return Condition(field: field, .present, key: null)
        case .equal where key == no || key == yes:
            guard case .property(let id) = field, id.isOfType(Bool.self) else { return nil }
            return Condition(field: field, .equal, key: key == no ? yes : no)
        default: return nil
        }
    }
}

extension RecordID {
    /// The id of a value, if no id of other bytes is equal to it in Swift: of a UUID, an integer,
    /// or a text of ASCII without K, the semicolon and the grave accent, which Unicode has twice.
    fileprivate static func unique(equalTo value: some Encodable) -> RecordID? {
        guard let id = try? RecordID(encoding: value) else { return nil }
        switch id.value {
        case .uuid, .integer: return id
        case .text(let text):
            let isUnique = text.utf8.allSatisfy { $0 < 0x80 && !ambiguous.contains($0) }
            return isUnique ? id : nil
        default: return nil
        }
    }

    private static let ambiguous = Array("K;`".utf8)
}

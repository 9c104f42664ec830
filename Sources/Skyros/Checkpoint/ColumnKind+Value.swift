extension ColumnKind {
    /// The kind for a field whose first value is this CBOR; nil for null, which decides
    /// nothing.
    init?(decidedBy value: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(value)
        switch try reader.peekType() {
        case .unsigned, .negative: self = .integer
        case .bytes: self = .bytes
        case .text: self = .text
        case .array, .map: self = .json
        case .simple:
            switch try reader.peekByte() {
            case CBORFormat.Byte.null: return nil
            case CBORFormat.Byte.true, CBORFormat.Byte.false: self = .boolean
            default: self = .real
            }
        case .tag:
            switch try reader.readTag() {
            case CBORFormat.Tag.positiveBignum, CBORFormat.Tag.negativeBignum: self = .integer
            case CBORFormat.Tag.uuid: self = .uuid
            case CBORFormat.Tag.date: self = .date
            case CBORFormat.Tag.url: self = .url
            case CBORFormat.Tag.decimal: self = .decimal
            default: self = .json
            }
        }
    }
}

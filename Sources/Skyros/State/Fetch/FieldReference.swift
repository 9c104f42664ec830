/// The field of a condition or of a sort.
enum FieldReference: Equatable, Sendable {
    /// A property of the entity's Swift type.
    case property(FieldID)
    /// A field by its stored name.
    case stored(String)

    static func == (a: FieldReference, b: FieldReference) -> Bool {
        switch (a, b) {
        case (.property(let a), .property(let b)): a == b
        case (.stored(let a), .stored(let b)): a.isSameName(as: b)
        default: false
        }
    }
}

/// The identity of a field of an entity's Swift type.
///
/// Key paths to the same property are different objects, and are slow to compare. A stored property
/// is identified by its offset in the value and its type. Only other properties, such as those of a
/// class, are identified by their key paths.
struct FieldID: Sendable {
    /// The offset in the value; nil if there is none.
    private let offset: Int?
    private let valueType: ObjectIdentifier
    // Unsafe only for the compiler, which does not know that key paths are immutable: those of
    // users are sendable by type, and a predicate's are literals.
    nonisolated(unsafe) private let path: AnyKeyPath

    init<E: Entity>(_ path: PartialKeyPath<E>) {
        offset = MemoryLayout<E>.offset(of: path)
        valueType = ObjectIdentifier(Swift.type(of: path).valueType)
        self.path = path
    }

    init<E: Entity, V>(_ path: FieldPath<E, V>) {
        offset = MemoryLayout<E>.offset(of: path)
        valueType = ObjectIdentifier(V.self)
        self.path = path
    }

    /// Whether the field has values of this type, and not of its optional.
    func isOfType(_ type: Any.Type) -> Bool { valueType == ObjectIdentifier(type) }
}

extension FieldID: Equatable {
    static func == (a: FieldID, b: FieldID) -> Bool {
        guard a.offset != nil || b.offset != nil else { return a.path == b.path }
        return a.offset == b.offset && a.valueType == b.valueType
    }
}

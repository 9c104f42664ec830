/// Tells the fields of an entity's Swift type apart.
///
/// Key paths to the same property are different objects, and comparing them walks over what they
/// are made of. A stored property is known by its place within the value and its type, which is
/// quick to compare; only for others, such as those of a class, the key paths are compared.
struct FieldID: Sendable {
    /// The place within the value; nil for what has none.
    private let offset: Int?
    private let valueType: ObjectIdentifier
    // Unsafe only for the compiler, which does not know that key paths are immutable: those that
    // come from users are sendable by type, and a predicate's are literals.
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
}

extension FieldID: Equatable {
    static func == (a: FieldID, b: FieldID) -> Bool {
        guard a.offset != nil || b.offset != nil else { return a.path == b.path }
        return a.offset == b.offset && a.valueType == b.valueType
    }
}

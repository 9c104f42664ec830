/// The name of the stored property to which a key path leads.
///
/// It is in the key path's description, also in optimized programs: the compiler keeps the names
/// of stored properties for it. Coding keys may give the field another name, so records confirm it:
/// see `IndexBinding`.
enum FieldName {
    /// The name; nil if the path leads through several properties, or to one that is computed,
    /// observed or wrapped.
    static func of<E: Entity>(_ path: PartialKeyPath<E>) -> String? {
        // "\Restaurant.cuisine"; others are "\Restaurant.address.city", "\Restaurant.tag?.name",
        // and "\Restaurant.<computed 0x… (Int)>".
        let start = "\\\(E.self)."
        let description = String(reflecting: path)
        guard description.hasPrefix(start) else { return nil }
        let name = String(description.dropFirst(start.count))
        let isName = !name.contains { ".?![]<>()".contains($0) }
        let isWhole = ObjectIdentifier(type(of: path).valueType) == ObjectIdentifier(E.self)
        return name.isEmpty || !isName || isWhole ? nil : name
    }
}

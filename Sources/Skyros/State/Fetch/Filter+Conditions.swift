// Conditions that have a name. Without Foundation, whose `contains` compares otherwise than
// Swift's.

extension Filter {
    /// The records for which a closure is true: every record that the other conditions leave is
    /// tested, and no index helps.
    ///
    ///     try store.all(Order.self, where: \.isOpen && .test { $0.lines.count > 3 })
    ///
    /// An error that the closure throws is thrown by the read.
    public static func test(_ test: @escaping @Sendable (E) throws -> Bool) -> Filter {
        Filter(test)
    }

    /// The records whose field equals one of the values; none if there are no values.
    ///
    ///     try store.all(Restaurant.self, where: .in(\.cuisine, ["italian", "greek"]))
    ///
    /// An index is searched once for each value, and ids are looked up directly.
    public static func `in`<V: Hashable & Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ values: some Sequence<V>
    ) -> Filter {
        let list = Array(values)
        let set = Set(list)
        let isID = Comparison.isID(path, of: V.self, .equal)
        let field = FieldID(path)
        // Nothing equals a value that does not equal itself.
        let conditions = set.filter { $0 == $0 }.map {
            Condition(field, of: V.self, .equal, $0, isID: isID)
        }
        let isKnown = conditions.allSatisfy { $0 != nil }
        let requirement: Requirement =
            isKnown ? .any(conditions.compactMap(\.self).map { .condition($0) }) : .unknown
        return Filter(Comparison(path, "in", list, requirement) { set.contains($0[keyPath: path]) })
    }

    /// The records whose field is not nil and equals one of the values.
    @_disfavoredOverload
    public static func `in`<V: Hashable & Encodable & Sendable>(
        _ path: FieldPath<E, V?>, _ values: some Sequence<V>
    ) -> Filter {
        .in(path, values.map { Optional($0) })
    }

    /// The records whose field is in a range with both of its ends.
    ///
    ///     try store.count(Person.self, where: .between(\.age, 3...5))
    public static func between<V: Comparable & Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ range: ClosedRange<V>
    ) -> Filter {
        path >= range.lowerBound && path <= range.upperBound
    }

    /// The records whose field is not nil and in a range with both of its ends.
    public static func between<V: Comparable & Encodable & Sendable>(
        _ path: FieldPath<E, V?>, _ range: ClosedRange<V>
    ) -> Filter {
        path >= range.lowerBound && path <= range.upperBound
    }

    /// The records whose field is in a range without its upper end.
    public static func between<V: Comparable & Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ range: Range<V>
    ) -> Filter {
        path >= range.lowerBound && path < range.upperBound
    }

    /// The records whose field is not nil and in a range without its upper end.
    public static func between<V: Comparable & Encodable & Sendable>(
        _ path: FieldPath<E, V?>, _ range: Range<V>
    ) -> Filter {
        path >= range.lowerBound && path < range.upperBound
    }

    /// The records whose text begins with `prefix`, as Swift's `hasPrefix` says: by characters.
    ///
    ///     try store.all(Restaurant.self, where: .hasPrefix(\.name, "Da "))
    ///
    /// An index finds the texts that begin with these bytes, and each of them is tested.
    public static func hasPrefix(_ path: FieldPath<E, String>, _ prefix: String) -> Filter {
        prefixed(path, prefix) { $0[keyPath: path].hasPrefix(prefix) }
    }

    /// The records whose text is not nil and begins with `prefix`.
    public static func hasPrefix(_ path: FieldPath<E, String?>, _ prefix: String) -> Filter {
        prefixed(path, prefix) { $0[keyPath: path]?.hasPrefix(prefix) ?? false }
    }

    private static func prefixed<V>(
        _ path: FieldPath<E, V>, _ prefix: String, _ test: @escaping @Sendable (E) -> Bool
    ) -> Filter {
        let condition = Condition.prefix(.property(FieldID(path)), prefix)
        let known = condition.map { Requirement.condition($0) } ?? .unknown
        // Texts may continue with a mark that changes the last character.
        return Filter(Comparison(path, "hasPrefix", prefix, .all([known, .unknown]), test))
    }

    /// The records whose text ends with `suffix`, as Swift's `hasSuffix` says. No index helps.
    public static func hasSuffix(_ path: FieldPath<E, String>, _ suffix: String) -> Filter {
        scanning(path, "hasSuffix", suffix) { $0[keyPath: path].hasSuffix(suffix) }
    }

    /// The records whose text is not nil and ends with `suffix`.
    public static func hasSuffix(_ path: FieldPath<E, String?>, _ suffix: String) -> Filter {
        scanning(path, "hasSuffix", suffix) { $0[keyPath: path]?.hasSuffix(suffix) ?? false }
    }

    /// The records whose text contains `part`, character by character. No index helps.
    ///
    ///     try store.all(Restaurant.self, where: .contains(\.name, "Nonna"))
    public static func contains(_ path: FieldPath<E, String>, _ part: String) -> Filter {
        scanning(path, "contains", part) { $0[keyPath: path].holds(part) }
    }

    /// The records whose text is not nil and contains `part`, character by character.
    public static func contains(_ path: FieldPath<E, String?>, _ part: String) -> Filter {
        scanning(path, "contains", part) { $0[keyPath: path]?.holds(part) ?? false }
    }

    /// The records one of whose elements equals a value. No index helps.
    ///
    ///     try store.all(Order.self, where: .contains(\.tags, "urgent"))
    public static func contains<C: Sequence & Sendable>(
        _ path: FieldPath<E, C>, _ element: C.Element
    ) -> Filter where C.Element: Equatable & Encodable & Sendable {
        scanning(path, "contains", element) { $0[keyPath: path].contains(element) }
    }

    private static func scanning<V>(
        _ path: FieldPath<E, V>, _ operation: StaticString, _ value: any Encodable & Sendable,
        _ test: @escaping @Sendable (E) -> Bool
    ) -> Filter {
        Filter(Comparison(path, operation, value, .unknown, test))
    }
}

extension String {
    /// Whether the characters of another text are in this one, in succession. O(n · m).
    func holds(_ part: String) -> Bool {
        var rest = self[...]
        while true {
            if rest.starts(with: part) { return true }
            if rest.popFirst() == nil { return false }
        }
    }
}

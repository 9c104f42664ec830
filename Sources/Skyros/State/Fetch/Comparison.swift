/// A comparison of a field with one value or several.
struct Comparison<E: Entity>: Sendable {
    /// What an index can know of it.
    let requirement: Requirement
    let test: @Sendable (E) -> Bool
    /// The parts of its signature, see `RequestSignature`.
    let path: AnyFieldPath<E>
    let operation: StaticString
    let value: any Encodable & Sendable

    init(
        _ path: AnyFieldPath<E>, _ operation: StaticString, _ value: any Encodable & Sendable,
        _ requirement: Requirement, _ test: @escaping @Sendable (E) -> Bool
    ) {
        self.path = path
        self.operation = operation
        self.value = value
        self.requirement = requirement
        self.test = test
    }

    /// Makes a comparison with one value. An index answers it only if the value `isReflexive`:
    /// equals itself, as all except NaN do.
    init<V: Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ operation: Condition.Operation,
        _ value: some Encodable & Sendable, isReflexive: Bool,
        _ test: @escaping @Sendable (E) -> Bool
    ) {
        let condition =
            isReflexive
            ? Condition(
                FieldID(path), of: V.self, operation, value,
                isID: Self.isID(path, of: V.self, operation))
            : nil
        let requirement = condition.map { Requirement.condition($0) } ?? .unknown
        self.init(path, operation.sign, value, requirement, test)
    }

    /// Whether a key path leads to the id. Another property of the same type has another name.
    static func isID(
        _ path: PartialKeyPath<E>, of type: Any.Type, _ operation: Condition.Operation
    ) -> Bool {
        guard type == E.ID.self, operation == .equal else { return false }
        return FieldName.of(path)?.isSameName(as: "id") == true
    }
}

extension Condition.Operation {
    /// The operator.
    fileprivate var sign: StaticString {
        switch self {
        case .equal: "=="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .prefix: "prefix"
        case .present: "present"
        }
    }
}

import Foundation

/// Finds, in the tree of a `#Predicate`, the conditions that an index could answer.
///
/// A conjunction holds only if both its sides do, so conditions below it are necessary; conditions
/// below any other node are not. Unknown expressions are ignored: the predicate itself is always
/// evaluated on the remaining records.
enum PredicatePlanner {
    static func necessary<E: Entity>(in predicate: Predicate<E>) -> [Condition] {
        conditions(in: predicate.expression, of: E.self)
    }

    private static func conditions<E: Entity>(
        in expression: Any, of type: E.Type
    ) -> [Condition] {
        switch expression {
        case let conjunction as any ConjunctionExpression:
            return conjunction.sides.flatMap { conditions(in: $0, of: type) }
        case let binary as any ComparisonExpression:
            return condition(binary, of: type).map { [$0] } ?? []
        default:
            return []
        }
    }

    private static func condition<E: Entity>(
        _ expression: any ComparisonExpression, of type: E.Type
    ) -> Condition? {
        guard let operation = expression.operation else { return nil }
        let (left, right) = expression.operands
        if let path = field(left, of: type), let value = right as? any ConstantExpression {
            return make(path, operation, value)
        }
        if let path = field(right, of: type), let value = left as? any ConstantExpression {
            return make(path, operation.mirrored, value)
        }
        return nil
    }

    private static func make<E: Entity>(
        _ path: PartialKeyPath<E>, _ operation: Condition.Operation,
        _ constant: any ConstantExpression
    ) -> Condition? {
        guard let value = constant.constant as? any Encodable else { return nil }
        let fieldType = Swift.type(of: path).valueType
        return Condition(FieldID(path), of: fieldType, operation, value)
    }

    /// The key path, if `expression` is a field of the predicate's own variable.
    private static func field<E: Entity>(
        _ expression: Any, of type: E.Type
    ) -> PartialKeyPath<E>? {
        guard let field = expression as? any FieldExpression else { return nil }
        return field.path(from: type)
    }
}

// MARK: - The parts of the tree that are understood

private protocol ConjunctionExpression {
    var sides: [Any] { get }
}

extension PredicateExpressions.Conjunction: ConjunctionExpression {
    fileprivate var sides: [Any] { [lhs, rhs] }
}

private protocol ComparisonExpression {
    var operands: (Any, Any) { get }
    var operation: Condition.Operation? { get }
}

extension PredicateExpressions.Equal: ComparisonExpression {
    fileprivate var operands: (Any, Any) { (lhs, rhs) }
    fileprivate var operation: Condition.Operation? { .equal }
}

extension PredicateExpressions.Comparison: ComparisonExpression {
    fileprivate var operands: (Any, Any) { (lhs, rhs) }
    fileprivate var operation: Condition.Operation? {
        switch op {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: nil
        }
    }
}

private protocol ConstantExpression {
    var constant: Any { get }
}

extension PredicateExpressions.Value: ConstantExpression {
    fileprivate var constant: Any { value }
}

private protocol FieldExpression {
    func path<E: Entity>(from type: E.Type) -> PartialKeyPath<E>?
}

extension PredicateExpressions.KeyPath: FieldExpression {
    fileprivate func path<E: Entity>(from type: E.Type) -> PartialKeyPath<E>? {
        guard root is PredicateExpressions.Variable<E> else { return nil }
        return keyPath as? PartialKeyPath<E>
    }
}

extension Condition.Operation {
    /// The same comparison with its sides exchanged.
    fileprivate var mirrored: Self {
        switch self {
        case .equal: .equal
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

import Foundation

/// Finds, in the tree of a `#Predicate`, the conditions that an index could answer.
///
/// It understands `&&`, `||`, `!`, comparisons of a field with a constant, fields that are a truth
/// value, and `contains` of a constant sequence. Other expressions are unknown: the predicate
/// itself is always evaluated on the records that are found.
enum PredicatePlanner {
    /// What holds for every record for which the predicate does.
    static func necessary<E: Entity>(in predicate: Predicate<E>) -> Requirement {
        requirement(of: predicate.expression, in: E.self)
    }

    private static func requirement<E: Entity>(
        of expression: Any, in type: E.Type
    ) -> Requirement {
        switch expression {
        case let conjunction as any ConjunctionExpression:
            return .all(conjunction.sides.map { requirement(of: $0, in: type) })
        case let disjunction as any DisjunctionExpression:
            return .any(disjunction.sides.map { requirement(of: $0, in: type) })
        case let negation as any NegationExpression:
            return requirement(of: negation.operand, in: type).negated
        case let contains as any ContainsExpression:
            return membership(contains, of: type)
        case let binary as any ComparisonExpression:
            return condition(binary, of: type).map { .condition($0) } ?? .unknown
        default:
            guard let path = field(expression, of: type) else { return .unknown }
            return make(path, .equal, true).map { .condition($0) } ?? .unknown
        }
    }

    private static func membership<E: Entity>(
        _ contains: any ContainsExpression, of type: E.Type
    ) -> Requirement {
        let (sequence, element) = contains.operands
        guard let path = field(element, of: type),
            let values = (sequence as? any ConstantExpression)?.constant as? [any Encodable]
        else { return .unknown }
        let conditions = values.map { value in make(path, .equal, value) }
        // Of NaN there is no condition, and no record either; of others the index may know nothing.
        guard conditions.allSatisfy({ $0 != nil }) else { return .unknown }
        return .any(conditions.compactMap(\.self).map { .condition($0) })
    }

    private static func condition<E: Entity>(
        _ expression: any ComparisonExpression, of type: E.Type
    ) -> Condition? {
        guard let operation = expression.operation else { return nil }
        let (left, right) = expression.operands
        if let path = field(left, of: type), let value = right as? any ConstantExpression {
            return make(path, operation, value.constant)
        }
        if let path = field(right, of: type), let value = left as? any ConstantExpression {
            return make(path, operation.mirrored, value.constant)
        }
        return nil
    }

    private static func make<E: Entity>(
        _ path: PartialKeyPath<E>, _ operation: Condition.Operation, _ constant: Any
    ) -> Condition? {
        guard let value = constant as? any Encodable else { return nil }
        let fieldType = Swift.type(of: path).valueType
        let isID = Comparison.isID(path, of: fieldType, operation)
        return Condition(FieldID(path), of: fieldType, operation, value, isID: isID)
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

private protocol DisjunctionExpression {
    var sides: [Any] { get }
}

extension PredicateExpressions.Disjunction: DisjunctionExpression {
    fileprivate var sides: [Any] { [lhs, rhs] }
}

private protocol NegationExpression {
    var operand: Any { get }
}

extension PredicateExpressions.Negation: NegationExpression {
    fileprivate var operand: Any { wrapped }
}

private protocol ContainsExpression {
    var operands: (sequence: Any, element: Any) { get }
}

extension PredicateExpressions.SequenceContains: ContainsExpression {
    fileprivate var operands: (sequence: Any, element: Any) { (sequence, element) }
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
        case .prefix, .present: self
        }
    }
}

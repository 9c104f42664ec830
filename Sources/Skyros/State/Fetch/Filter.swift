public import Foundation

/// A condition on the records of an entity, built from key paths.
///
///     \.cuisine == "italian" && \.rating > 3
///     !(\.status == .done) || \.total >= 1_000
///     Filter { $0.name.hasPrefix("N") }
///
/// An index answers conditions on indexed fields; the others are tested on each record.
/// The operators are Swift's: texts are equal if they look the same, whatever their scalars. A
/// comparison with a field that is nil does not hold, except `== nil`.
public struct Filter<E: Entity>: Sendable {
    indirect enum Node: Sendable {
        case comparison(Comparison<E>)
        case and(Node, Node)
        case or(Node, Node)
        case not(Node)
        /// A test of the value, and conditions that hold for every value that passes.
        case test(@Sendable (E) throws -> Bool, necessary: [Condition])
    }

    let root: Node

    init(_ root: Node) {
        self.root = root
    }

    init(_ comparison: Comparison<E>) {
        self.init(.comparison(comparison))
    }

    /// The records for which `test` is true.
    public init(_ test: @escaping @Sendable (E) throws -> Bool) {
        self.init(.test(test, necessary: []))
    }

    /// The records for which `predicate` is true.
    public init(_ predicate: Predicate<E>) {
        self.init(
            .test(
                { try predicate.evaluate($0) },
                necessary: PredicatePlanner.necessary(in: predicate)))
    }

    /// Whether `value` passes.
    ///
    /// - Throws: what a test given as a closure or predicate throws.
    public func matches(_ value: E) throws -> Bool {
        try Self.matches(value, root)
    }

    private static func matches(_ value: E, _ node: Node) throws -> Bool {
        switch node {
        case .comparison(let comparison): comparison.test(value)
        case .and(let a, let b): try matches(value, a) && matches(value, b)
        case .or(let a, let b): try matches(value, a) || matches(value, b)
        case .not(let a): try !matches(value, a)
        case .test(let test, _): try test(value)
        }
    }
}

extension Filter {
    /// Conditions that hold for every record that passes; an index may be chosen by them.
    struct Conditions {
        fileprivate(set) var all: [Condition] = []
        /// Whether a record that fulfils all of them passes.
        fileprivate(set) var areSufficient = true
    }

    var conditions: Conditions {
        var conditions = Conditions()
        Self.collect(root, into: &conditions)
        return conditions
    }

    private static func collect(_ node: Node, into conditions: inout Conditions) {
        switch node {
        case .comparison(let comparison):
            if let condition = comparison.condition {
                conditions.all.append(condition)
            } else {
                conditions.areSufficient = false
            }
        case .and(let a, let b):
            collect(a, into: &conditions)
            collect(b, into: &conditions)
        case .test(_, let necessary):
            conditions.all += necessary
            conditions.areSufficient = false
        case .or, .not:
            conditions.areSufficient = false
        }
    }
}

/// A comparison of a field with a value, given as its index key, that an index can answer.
struct Condition: Sendable {
    enum Operation: Sendable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
    }

    let field: FieldID
    let operation: Operation
    let key: ByteString

    /// Makes a condition; nil if the order of keys and that of values may differ, or if the value
    /// is NaN, which equals nothing.
    init?(
        _ field: FieldID, of type: Any.Type, _ operation: Operation, _ value: some Encodable
    ) {
        let needed: KeyOrder = operation == .equal ? .equality : .full
        guard KeyOrder.of(type) >= needed, let checked = IndexKey.component(of: value),
            checked.isExpected, operation == .equal || checked.isRegular
        else { return nil }
        let rank = checked.key.withUnsafeBytes { $0.first }
        if rank == IndexKey.Rank.nan || rank == IndexKey.Rank.noDate { return nil }
        self.field = field
        self.operation = operation
        key = checked.key
    }
}

/// One comparison of a field with a value.
struct Comparison<E: Entity>: Sendable {
    /// The comparison for an index; nil if none can answer it.
    let condition: Condition?
    let test: @Sendable (E) -> Bool

    /// Makes a comparison. An index answers it only if the value `isReflexive`: equals itself, as
    /// all except NaN do.
    init<V: Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ operation: Condition.Operation, _ value: some Encodable,
        isReflexive: Bool, _ test: @escaping @Sendable (E) -> Bool
    ) {
        condition =
            isReflexive ? Condition(FieldID(path), of: V.self, operation, value) : nil
        self.test = test
    }
}

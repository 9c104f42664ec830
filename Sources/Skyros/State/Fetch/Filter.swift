public import Foundation

/// A condition on the records of an entity, built from key paths.
///
///     \.cuisine == "italian" && \.rating > 3
///     !(\.status == .done) || \.total >= 1_000
///     Filter { $0.name.hasPrefix("N") }
///
/// Conditions on indexed fields are answered from the index; the others are tried on each record.
/// Texts equal as Swift's do, and order by their Unicode scalars in normal form C. A field that is
/// nil equals nil alone, and is neither less nor greater than any value.
public struct Filter<E: Entity>: Sendable {
    indirect enum Node: Sendable {
        case comparison(Comparison<E>)
        case and(Node, Node)
        case or(Node, Node)
        case not(Node)
        case test(@Sendable (E) throws -> Bool)
    }

    let root: Node
    /// Comparisons that hold for every record that passes; the planner may use any of them.
    let necessary: [Comparison<E>]

    init(_ root: Node, necessary: [Comparison<E>]) {
        self.root = root
        self.necessary = necessary
    }

    init(_ comparison: Comparison<E>) {
        self.init(.comparison(comparison), necessary: [comparison])
    }

    /// The records for which `test` is true.
    public init(_ test: @escaping @Sendable (E) throws -> Bool) {
        self.init(.test(test), necessary: [])
    }

    /// The records for which `predicate` is true.
    public init(_ predicate: Predicate<E>) {
        self.init(
            .test { try predicate.evaluate($0) },
            necessary: PredicatePlanning.necessary(in: predicate))
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
        case .test(let test): try test(value)
        }
    }
}

/// One comparison of a field with a value.
struct Comparison<E: Entity>: Sendable {
    enum Operation: Sendable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
    }

    // Unsafe only for the compiler, which does not know that key paths are immutable: those that
    // come from users are sendable by type, and a predicate's are literals.
    nonisolated(unsafe) let path: PartialKeyPath<E>
    let operation: Operation
    /// The value as a component of an index key; nil if no index can answer the comparison.
    let key: [UInt8]?
    let test: @Sendable (E) -> Bool
}

extension Comparison {
    init<V: Encodable & Sendable>(
        _ path: FieldPath<E, V>, _ operation: Operation, _ value: some Encodable,
        _ test: @escaping @Sendable (E) -> Bool
    ) {
        self.path = path
        self.operation = operation
        self.test = test
        key = Self.key(of: value, asked: operation, type: V.self)
    }

    /// The key with which an index could answer; nil where keys and values may disagree.
    static func key(
        of value: some Encodable, asked operation: Operation, type: Any.Type
    ) -> [UInt8]? {
        let needed: KeyOrder = operation == .equal ? .equality : .full
        guard KeyOrder.of(type) >= needed, let encoded = try? CBOREncoder().encode(value) else {
            return nil
        }
        let none = ByteString([])
        return try? encoded.withUnsafeBytes { try IndexKey.append($0, to: none) }.array
    }
}

public import Foundation

/// A condition on the records of an entity, built from key paths.
///
///     \.cuisine == "italian" && \.rating > 3
///     \.isOpen || .in(\.status, [.placed, .paid]) || .between(\.total, 100...200)
///     !\.isOpen && .hasPrefix(\.name, "Da ") && .test { $0.tables.count > 3 }
///
/// An index answers conditions on indexed fields, also below `&&` and `||`; the others are tested
/// on each record. ``RecordSource/explain(_:)`` says which indexes a request uses.
///
/// The operators are Swift's: texts are equal if they look the same, whatever their scalars. A
/// comparison with a field that is nil does not hold, except `== nil`.
public struct Filter<E: Entity>: Sendable {
    indirect enum Node: Sendable {
        case comparison(Comparison<E>)
        case and(Node, Node)
        case or(Node, Node)
        case not(Node)
        /// A test of the value, and what holds for every value that passes.
        case test(@Sendable (E) throws -> Bool, necessary: Requirement)
    }

    let root: Node

    init(_ root: Node) {
        self.root = root
    }

    init(_ comparison: Comparison<E>) {
        self.init(.comparison(comparison))
    }

    /// The records for which `test` is true, as ``test(_:)``.
    public init(_ test: @escaping @Sendable (E) throws -> Bool) {
        self.init(.test(test, necessary: .all([])))
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
    /// What an index can know of the filter.
    var requirement: Requirement { Self.requirement(of: root) }

    private static func requirement(of node: Node) -> Requirement {
        switch node {
        case .comparison(let comparison): comparison.requirement
        case .and(let a, let b): .all([requirement(of: a), requirement(of: b)])
        case .or(let a, let b): .any([requirement(of: a), requirement(of: b)])
        case .not(let a): requirement(of: a).negated
        case .test(_, let necessary): .all([necessary, .unknown])
        }
    }
}

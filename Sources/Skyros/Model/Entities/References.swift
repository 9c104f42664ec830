/// The type of a property that holds references to one entity: `Ref<Board>`, `Ref<Board>?`,
/// `[Ref<Card>]`, `Set<Ref<Card>>`.
public protocol References {
    /// The entity that is referred to.
    associatedtype Target: Entity

    /// The references, in their order; empty if there are none.
    var references: [Ref<Target>] { get }
}

extension Ref: References {
    /// The reference itself.
    public var references: [Ref<Target>] { [self] }
}

extension Optional: References where Wrapped: References {
    /// The wrapped references; none if the value is nil.
    public var references: [Ref<Wrapped.Target>] { self?.references ?? [] }
}

extension Array: References where Element: References {
    /// The references of all elements.
    public var references: [Ref<Element.Target>] { flatMap(\.references) }
}

extension Set: References where Element: References {
    /// The references of all elements, in no particular order.
    public var references: [Ref<Element.Target>] { flatMap(\.references) }
}

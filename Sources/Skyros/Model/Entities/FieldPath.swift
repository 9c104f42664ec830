/// A key path that may be passed between threads, as literals such as `\.name` may.
public typealias FieldPath<E, V> = any KeyPath<E, V> & Sendable

/// A key path to a value of any type.
typealias AnyFieldPath<E> = any PartialKeyPath<E> & Sendable

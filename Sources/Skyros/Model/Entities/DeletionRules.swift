/// What happens to a record with a required reference when the record that it refers to is deleted.
public enum RequiredReferenceRule: String, Hashable, Sendable {
    /// It is deleted too.
    case cascade
    /// The deletion is refused: the write throws `StoreError` with `.deletionDenied`.
    case deny
}

/// What happens to a record with an optional reference when the record that it refers to is
/// deleted.
public enum OptionalReferenceRule: String, Hashable, Sendable {
    /// It is deleted too.
    case cascade
    /// The reference becomes nil.
    case nullify
    /// The deletion is refused: the write throws `StoreError` with `.deletionDenied`.
    case deny
}

/// What happens to a record with several references when a record that one of them refers to is
/// deleted.
public enum ReferenceListRule: String, Hashable, Sendable {
    /// It is deleted too.
    case cascade
    /// The reference is removed; the others keep their order.
    case remove
    /// The deletion is refused: the write throws `StoreError` with `.deletionDenied`.
    case deny
}

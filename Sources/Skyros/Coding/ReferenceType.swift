/// Distinguishes references from other types: they are stored, compared and indexed as the ids that
/// they hold.
protocol ReferenceType {
    static var idType: Any.Type { get }
}

import Foundation

/// The proof that values of a type hold no reference: no class, closure, existential or pointer, at
/// any depth.
///
/// A copy of such a value is independent of all others, so a row may hand out one that it keeps. A
/// row of any other type decodes its bytes for each reader.
///
/// The fields of structs and the cases of enums are read from the runtime's metadata. A type
/// without reflection metadata is not proven.
struct ValueProof {
    /// The types that were proven, or are being proven: a type that contains itself holds no more
    /// than its other parts do.
    private var visited: Set<ObjectIdentifier> = []

    /// A generic type may contain ever larger instances of itself.
    private static let visitedMax = 1_000

    private init() {}

    /// Whether values of `type` provably hold no reference. O(size of the type's declaration).
    static func succeeds(for type: Any.Type) -> Bool {
        var proof = ValueProof()
        return proof.covers(type)
    }

    private mutating func covers(_ type: Any.Type) -> Bool {
        let id = ObjectIdentifier(type)
        if CodingKind.isScalar(id) || visited.contains(id) { return true }
        guard visited.count < Self.visitedMax else { return false }
        visited.insert(id)
        let parts = (type as? any ValueContainer.Type)?.contents ?? TypeLayout(type)?.parts
        guard let parts else { return false }
        for part in parts where !covers(part) { return false }
        return true
    }
}

/// A collection of the standard library that owns its elements: what it holds besides them cannot
/// be reached.
private protocol ValueContainer {
    /// The types of what it contains.
    static var contents: [Any.Type] { get }
}

extension Optional: ValueContainer {
    fileprivate static var contents: [Any.Type] { [Wrapped.self] }
}

extension Array: ValueContainer {
    fileprivate static var contents: [Any.Type] { [Element.self] }
}

extension ContiguousArray: ValueContainer {
    fileprivate static var contents: [Any.Type] { [Element.self] }
}

extension Set: ValueContainer {
    fileprivate static var contents: [Any.Type] { [Element.self] }
}

extension Dictionary: ValueContainer {
    fileprivate static var contents: [Any.Type] { [Key.self, Value.self] }
}

/// A field of one record: read from the newest state, written with an actor. A binding of a user
/// interface reads and writes through it.
struct FieldBinding<E: Entity, V: Sendable>: Sendable {
    let store: Store
    let id: E.ID
    let path: any WritableKeyPath<E, V> & Sendable
    /// The value if the record was deleted.
    let fallback: V
    let actor: String?
    let reason: String?

    /// The value in the newest state. Setting it writes an event, before the call returns; an error
    /// is passed to ``Store/Options/onError``, because a binding has no caller to throw to.
    var value: V {
        get {
            let record = try? store.get(E.self, id)
            return record?[keyPath: path] ?? fallback
        }
        nonmutating set {
            do {
                try store.write(by: actor, because: reason) { tx in
                    try tx.update(E.self, id) { $0[keyPath: path] = newValue }
                }
            } catch {
                store.resources.report(error)
            }
        }
    }
}

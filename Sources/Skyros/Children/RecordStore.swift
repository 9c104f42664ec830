/// A source of records that runs write blocks: a `Store`, or a `ChildStore` of one.
///
/// Code that edits records can take either, and need not know which:
///
///     func renumber(_ cards: some RecordStore) throws {
///         try cards.write { tx in … }
///     }
///     try renumber(store.fork())
///
/// All methods may be called from any thread. Write blocks of one store run one at a time.
public protocol RecordStore: AnyObject, RecordSource, Sendable {
    /// Runs a write block on the calling thread, and returns what it returns. The block is atomic:
    /// if it throws, nothing was changed.
    ///
    /// - Throws: what the block throws; `StoreError`, with `.nestedWrite` inside another write
    ///   block of the same store.
    @discardableResult
    func write<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R

    /// Runs a write block on the store's own thread, and suspends until it has ended.
    @discardableResult
    func write<R: Sendable>(
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R

    /// Makes a child store: a fork of the present state, whose edits are written here when it is
    /// merged. O(1).
    ///
    ///     let draft = try store.fork(by: "alice")
    ///     try draft.write { tx in try tx.update(Order.self, id) { $0.note = "no onions" } }
    ///     try draft.merge(because: "order changed")
    ///
    /// - Parameter actor: the actor of the events of the child's merges, unless these name another.
    /// - Throws: `StoreError` with `.discarded` for a child store that was discarded.
    func fork(by actor: String?) throws -> ChildStore
}

extension RecordStore {
    /// Makes a child store: a fork of the present state. O(1).
    public func fork() throws -> ChildStore { try fork(by: nil) }

    /// Runs a write block, for chaining: `try draft.writeSync { … }.writeSync { … }`.
    ///
    /// It blocks the calling thread also in asynchronous code.
    @discardableResult
    public func writeSync(
        _ block: (inout WriteTransaction) throws -> Void
    ) throws -> Self {
        try write(block)
        return self
    }

    /// Merges a child of this store: as the child's own `merge`, which has the details.
    ///
    /// - Throws: `StoreError` with `.foreignChild` if it was forked from another store; what the
    ///   child's own `merge` throws. Nothing was changed then.
    @discardableResult
    public func merge(
        _ child: ChildStore, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), intent: (any DomainCommand)? = nil,
        durability: Durability? = nil, policy: MergePolicy = .childFieldsWin
    ) throws -> MergeResult {
        guard child.parent === self else {
            throw StoreError(
                .foreignChild,
                "the child store was forked from another store; nothing was changed. Merge it into "
                    + "its parent: child.merge()")
        }
        return try child.merge(
            by: actor, because: reason, metadata: metadata, intent: intent,
            durability: durability, policy: policy)
    }
}

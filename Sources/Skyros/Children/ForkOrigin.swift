/// What a child store needs of its parent: a state to fork from, and a place to merge into.
protocol ForkOrigin: RecordStore {
    /// The store at the root of all its children.
    var root: Store { get }

    /// Runs a merge as one write block.
    ///
    /// - Parameter request: who merges, why and how durably; of use only where there is a log.
    /// - Returns: the state after the merge, and the proof of its event, if there is a log.
    func runMerge(
        _ request: WriteRequest, _ block: (inout WriteTransaction) throws -> Void
    ) throws -> (state: Snapshot, receipt: Receipt?)
}

extension Store: ForkOrigin {
    var root: Store { self }

    func runMerge(
        _ request: WriteRequest, _ block: (inout WriteTransaction) throws -> Void
    ) throws -> (state: Snapshot, receipt: Receipt?) {
        var receipt = Receipt(nil, request.durability, nil)
        let state: Snapshot
        do {
            state = try withWriterLock {
                try commit(request, &receipt, block)
                return session.newest
            }
        } catch {
            throw receipt.error(error)
        }
        // A child continues from what it has merged: that must not be taken back.
        return (state, resources.isShared ? try receipt.madeDurable() : receipt)
    }
}

extension Store: RecordStore {
    /// Runs a write block and returns what it returns: `write` without a word about the event.
    @inlinable
    @discardableResult
    public func write<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R {
        try write(by: nil, block)
    }

    /// Runs a write block on the store's thread: `write` without a word about the event.
    @inlinable
    @discardableResult
    public func write<R: Sendable>(
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> R
    ) async throws -> R {
        try await write(by: nil, block)
    }

    /// Makes a child store: a fork of the newest state, whose edits are in memory until they are
    /// merged as one event. O(1).
    ///
    ///     let draft = store.fork(by: "alice")
    ///
    /// - Parameter actor: the actor of the events of the child's merges, unless these name another.
    public func fork(by actor: String? = nil) -> ChildStore {
        let session = session
        return ChildStore(of: self, in: session, at: snapshot, by: actor)
    }
}

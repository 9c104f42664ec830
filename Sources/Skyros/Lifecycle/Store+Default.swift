import SkyrosDisk

extension Store {
    private static let shared = Locked<Store?>(nil)

    /// The store of this process that code without another one uses; nil until the app sets it.
    ///
    ///     Store.default = try Store(at: Store.url(for: "Kanban"), entities: Board.self)
    ///
    /// The library itself never uses it. It is retained until it is set again; setting nil releases
    /// it. Closing the store does not reset it.
    public static var `default`: Store? {
        get { shared.withLock { $0 } }
        set {
            // The old one is released, and perhaps closed, outside of the lock.
            _ = shared.withLock { store in
                defer { store = newValue }
                return store
            }
        }
    }
}

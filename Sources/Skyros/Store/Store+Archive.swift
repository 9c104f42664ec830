import SkyrosLog

extension Store {
    /// The log of this store as a read-only archive, with the types that the store has: to replay
    /// it, to execute its commands again, or to find the event that broke something, while the
    /// store is in use.
    ///
    ///     let found = try store.archive().reexecute([Transfer.self])
    ///
    /// It has the events of all writes that have returned. `Archive.refresh()` reads those that
    /// have been added since. Also a store in memory, or one that is closed or suspended, has one.
    ///
    /// - Complexity: O(segments), and what the newest one holds that is not compressed yet; the
    ///   archive makes its states from the log, not from those of the store.
    /// - Throws: `StoreError` with `.erased` if the store is being erased, `.io` and the like if
    ///   its files cannot be read.
    public func archive() throws -> Archive {
        // The archive reads files, so what is deferred has to be in them.
        try StoreError.wrap(try session.engine.flush())
        return try Archive(on: resources.environment, resources.schema)
    }
}

// Writing and waiting for it: on the calling thread, or in a task.

extension Store {
    /// Runs a write block and returns what it returns.
    ///
    ///     try store.write(by: "alice", because: "new partner") { tx in
    ///         try tx.insert(Restaurant(name: "Nonna", cuisine: "italian"))
    ///     }
    ///
    /// The block runs on the calling thread. It is atomic: if it throws, nothing was changed. When
    /// `write` returns, every later read on any thread sees the changes (promise P8), and they are
    /// as durable as `durability` says. A block that changes nothing leaves no event, unless it has
    /// an intent.
    ///
    /// In asynchronous code `await` selects the form that suspends instead of blocking.
    ///
    /// - Parameters:
    ///   - actor: who makes the change. Default: that of `withMetadata`, also for the others.
    ///   - reason: why.
    ///   - metadata: more about the change, such as correlation and tags.
    ///   - intent: the domain command that led to the change, kept as data.
    ///   - condition: what the write was decided on; the block does not run if that has changed.
    ///   - durability: how durable the event is on return. Default: `Options.durability`.
    ///   - block: makes the changes, and may return something.
    /// - Throws: what the block throws; `StoreError`, with `.nestedWrite` inside another write
    ///   block of the same store, `.conflict` if a condition does not hold, `.uniqueViolation`,
    ///   `.brokenReference`, `.deletionDenied`, `.diskFull`, `.durabilityLost`, `.closed`,
    ///   `.alreadyOpen` in a forked child of the process that opened the store.
    @discardableResult
    public func write<R>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition)
        var receipt = Receipt(nil, request.durability, nil)
        return try write(request, &receipt, block)
    }

    /// Runs a write block, and returns its result with a receipt: sequence and durability.
    ///
    ///     let (order, receipt) = try store.writeWithReceipt { tx in … }
    ///     try receipt.waitUntilDurable()
    @discardableResult
    public func writeWithReceipt<R>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> (result: R, receipt: Receipt) {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition)
        var receipt = Receipt(nil, request.durability, nil)
        let result = try write(request, &receipt, block)
        return (result, receipt)
    }

    /// Runs a write block, for chaining: `try store.writeSync { … }.writeSync { … }.read { … }`.
    ///
    /// It blocks the calling thread also in asynchronous code.
    @discardableResult
    public func writeSync(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, expecting condition: WriteCondition? = nil,
        durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws -> Self {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition)
        var receipt = Receipt(nil, request.durability, nil)
        try write(request, &receipt, block)
        return self
    }

    /// The receipt is a parameter: returning a tuple with a generic part costs a metadata lookup.
    func write<R>(
        _ request: WriteRequest, _ receipt: inout Receipt,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        let result: R
        do {
            result = try withWriterLock { try commit(request, &receipt, block) }
        } catch {
            throw receipt.error(error)
        }
        if request.durability == .durable { receipt = try receipt.madeDurable() }
        return result
    }

    func request(
        _ actor: String?, _ reason: String?, _ metadata: Metadata,
        _ intent: (any DomainCommand)?, _ durability: Durability?,
        expecting condition: WriteCondition? = nil, once key: String? = nil
    ) throws -> WriteRequest {
        let durability = durability ?? resources.options.durability
        var request = try WriteRequest(
            // Other machines have it, or it may be taken back: there is nothing between.
            actor, reason, metadata, intent, resources.isShared ? .durable : durability,
            expecting: condition, once: key)
        // A repetition checks no condition.
        if let condition, firstEvent(of: request) == nil { request.condition = prepared(condition) }
        return request
    }
}

extension Store {
    /// Runs a write block and returns what it returns.
    ///
    ///     try store.write(by: "alice", because: "new partner") { tx in
    ///         try tx.insert(Restaurant(name: "Nonna", cuisine: "italian"))
    ///     }
    ///
    /// The block runs on the calling thread, as a whole or not at all: if it throws, nothing
    /// happened. When `write` returns, every later read on any thread sees the changes
    /// (promise P8), and they are as safe as `durability` says. A block that changes nothing
    /// leaves no event.
    ///
    /// - Parameters:
    ///   - actor: who makes the change. What is not given comes from `withMetadata`.
    ///   - reason: why.
    ///   - metadata: more about the change, such as correlation and tags.
    ///   - intent: the domain command that led to it, kept as data.
    ///   - durability: default: `Options.durability`.
    ///   - block: makes the changes, and may return something.
    /// - Throws: what the block throws; `StoreError`, with `.nestedWrite` inside another write
    ///   block of the same store, `.uniqueViolation`, `.diskFull`, `.durabilityLost`, `.closed`,
    ///   `.alreadyOpen` in a copy of the process that opened the store (`fork`).
    @discardableResult
    public func write<R>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        var receipt = Receipt(nil, .buffered, nil)
        return try write(
            by: actor, because: reason, metadata, intent, durability, &receipt, block)
    }

    /// As `write`, and also returns a receipt: the event's sequence, and how safe it is.
    @discardableResult
    public func writeWithReceipt<R>(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> (result: R, receipt: Receipt) {
        var receipt = Receipt(nil, .buffered, nil)
        let result = try write(
            by: actor, because: reason, metadata, intent, durability, &receipt, block)
        return (result, receipt)
    }

    /// As `writeWithReceipt`, with the receipt apart: a pair with a part of unknown type costs a
    /// lookup of its own type.
    private func write<R>(
        by actor: String?, because reason: String?, _ metadata: Metadata,
        _ intent: (any DomainCommand)?, _ durability: Durability?, _ receipt: inout Receipt,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R {
        let request = try WriteRequest(
            actor, reason, metadata, intent, durability ?? parts.options.durability)
        receipt = Receipt(nil, request.durability, nil)
        let result = try withWriterLock { try commit(request, &receipt, block) }
        if request.durability == .durable { receipt = try receipt.madeDurable() }
        return result
    }

    /// As `write`, for chaining: `try store.writeSync { … }.writeSync { … }.read { … }`.
    @discardableResult
    public func writeSync(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws -> Self {
        try write(
            by: actor, because: reason, metadata: metadata, intent: intent,
            durability: durability, block)
        return self
    }

    /// Runs `body` with the newest snapshot and returns what it returns.
    ///
    /// The block runs on the calling thread and sees one consistent state, whatever is written
    /// meanwhile, also by itself.
    public func read<R>(_ body: (Snapshot) throws -> R) rethrows -> R {
        try body(snapshot)
    }

    /// As `read`, for chaining.
    @discardableResult
    public func read(_ body: (Snapshot) throws -> Void) rethrows -> Self {
        try body(snapshot)
        return self
    }

    /// Runs `body` with metadata that completes that of every write below it, in this task and
    /// in the tasks that it starts, so that audit cannot be forgotten at the call site.
    ///
    ///     try Store.withMetadata(actor: user.name, correlation: request.id) {
    ///         try handle(request)       // its writes are by the user
    ///     }
    public static func withMetadata<R>(
        actor: String? = nil, reason: String? = nil, correlation: String? = nil,
        causation: String? = nil, tags: [String: String] = [:], _ body: () throws -> R
    ) rethrows -> R {
        let metadata = Metadata(
            actor: actor, reason: reason, correlation: correlation, causation: causation,
            tags: tags)
        let completed = metadata.completed(by: Metadata.current)
        return try Metadata.$current.withValue(completed, operation: body)
    }

    /// As the synchronous `withMetadata`, around a body that waits for others.
    ///
    ///     try await Store.withMetadata(actor: user.name) {
    ///         try await handle(request)
    ///     }
    public static func withMetadata<R>(
        actor: String? = nil, reason: String? = nil, correlation: String? = nil,
        causation: String? = nil, tags: [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
    ) async rethrows -> R {
        let metadata = Metadata(
            actor: actor, reason: reason, correlation: correlation, causation: causation,
            tags: tags)
        let completed = metadata.completed(by: Metadata.current)
        return try await Metadata.$current.withValue(completed, operation: body)
    }

    func withWriterLock<R>(_ body: () throws -> R) throws -> R {
        try checkProcess()
        try writerLock.lock()
        defer { writerLock.unlock() }
        return try body()
    }

}

/// What a call to write asks for, besides the block.
struct WriteRequest: Sendable {
    let metadata: Metadata
    let intent: Intent?
    let durability: Durability

    init(
        _ actor: String?, _ reason: String?, _ metadata: Metadata,
        _ intent: (any DomainCommand)?, _ durability: Durability
    ) throws {
        var own = metadata
        if let actor { own.actor = actor }
        if let reason { own.reason = reason }
        self.metadata = own.completed(by: Metadata.current)
        self.intent = try intent.map { try Intent($0) }
        self.durability = durability
    }
}

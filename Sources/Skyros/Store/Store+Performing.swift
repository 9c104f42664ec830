// Performing commands: write blocks that are values of the app, and can be executed again.

extension Store {
    /// Carries out a command, and returns what it returns.
    ///
    ///     let balance = try store.perform(Transfer(from: a, to: b, cents: 500), by: "alice")
    ///
    /// It is a `write` whose block is the command's `run`. The event has the command as its intent,
    /// and what `run` returned; there is one also if nothing has changed.
    ///
    /// If the command has an idempotency key that the store has seen, `run` is not called: the call
    /// returns what it returned the first time, which the first event has kept. The rules are
    /// those of `write(once:)`.
    ///
    /// - Parameters:
    ///   - command: what to do.
    ///   - actor: who asks for it. Default: that of `withMetadata`, also for the others.
    ///   - reason: why.
    ///   - metadata: more about the event.
    ///   - condition: what the command was decided on; not checked for a repetition.
    ///   - durability: how durable the event is on return. Default: `Options.durability`.
    /// - Throws: what `run` throws: then nothing has changed, and there is no event; `StoreError`
    ///   with `.notEncodable` if the command or its result cannot be encoded, `.conflict` if
    ///   another command has its key; for a repetition with a result `.belowFloor` if the first
    ///   event was pruned, and `.notDecodable` if it has another type of result; what `write`
    ///   throws.
    @discardableResult
    public func perform<C: Command>(
        _ command: C, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), expecting condition: WriteCondition? = nil,
        durability: Durability? = nil
    ) throws -> C.Output {
        try performWithReceipt(
            command, by: actor, because: reason, metadata: metadata, expecting: condition,
            durability: durability
        ).output
    }

    /// Carries out a command, and returns its result with a receipt: sequence, durability, and
    /// whether it is a repetition.
    @discardableResult
    public func performWithReceipt<C: Command>(
        _ command: C, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), expecting condition: WriteCondition? = nil,
        durability: Durability? = nil
    ) throws -> (output: C.Output, receipt: Receipt) {
        let request = try request(
            actor, reason, metadata, command, durability, expecting: condition,
            once: command.idempotencyKey)
        var receipt = Receipt(nil, request.durability, nil)
        let output: C.Output?
        do {
            output = try withWriterLock {
                try commitOnce(request, &receipt) { tx in try tx.perform(command) }
            }
        } catch {
            throw receipt.error(error)
        }
        if request.durability == .durable { receipt = try receipt.madeDurable() }
        return (try output ?? keptOutput(of: command, receipt), receipt)
    }

    /// Carries out a command on the store's thread, and suspends until its durability is reached.
    ///
    /// Parameters and errors are those of the synchronous form; `.nestedWrite` cannot occur.
    /// Cancelling the task does not take the command back.
    @discardableResult
    public func perform<C: Command>(
        _ command: C, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), expecting condition: WriteCondition? = nil,
        durability: Durability? = nil
    ) async throws -> C.Output {
        try await performWithReceipt(
            command, by: actor, because: reason, metadata: metadata, expecting: condition,
            durability: durability
        ).output
    }

    /// Carries out a command on the store's thread, and returns its result with a receipt.
    @discardableResult
    public func performWithReceipt<C: Command>(
        _ command: C, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), expecting condition: WriteCondition? = nil,
        durability: Durability? = nil
    ) async throws -> (output: C.Output, receipt: Receipt) {
        let request = try request(
            actor, reason, metadata, command, durability, expecting: condition,
            once: command.idempotencyKey)
        let (output, receipt) = try await withCheckedThrowingContinuation { continuation in
            // The task that waits is the bound of the queue.
            enqueue(request, isBounded: false, finish: { continuation.resume(with: $0) }) {
                try $0.commitOnce(request, &$1) { tx in try tx.perform(command) }
            }
        }
        return (try output ?? keptOutput(of: command, receipt), receipt)
    }

    /// What a command has returned when it was performed before.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent` if the store was erased meanwhile; `.belowFloor`,
    ///   `.notDecodable`.
    private func keptOutput<C: Command>(of command: C, _ receipt: Receipt) throws -> C.Output {
        if let constant = C.outputCoding.constant { return constant }
        guard let sequence = receipt.sequence, let event = try event(sequence),
            event.key == command.idempotencyKey
        else {
            throw StoreError(
                .noSuchEvent, "the event of the command's idempotency key was erased meanwhile")
        }
        guard let intent = event.intent, intent.name.isSameName(as: C.commandName) else {
            throw StoreError(
                .notDecodable,
                "event \(sequence) was taken over from a checkpoint, which does not have what the "
                    + "command returned",
                at: StoreError.Place(sequences: sequence...sequence))
        }
        return try intent.output(of: C.self)
    }
}

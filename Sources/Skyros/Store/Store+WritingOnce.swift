import SkyrosDisk
import SkyrosLog

// Writes that happen once, however often they are asked for: the event remembers a key.

extension Store {
    /// Runs a write block, unless a write with the same idempotency key has done so already.
    ///
    /// A request may arrive twice: the answer was lost, the app was killed, a queue delivers again.
    /// Give the write a key that is the same each time, such as the id of the request:
    ///
    ///     let receipt = try store.write(once: request.id, intent: PlaceOrder(request)) { tx in
    ///         try tx.insert(Order(request))
    ///     }
    ///
    /// The first call runs the block and leaves an event with the key, also if the block changes
    /// nothing. A later call with the key does not run its block and checks no condition: it
    /// returns a receipt with the sequence of that event, whose `isRepeated` is true, once the
    /// event is as durable as this call asks. The two may be in different processes. A call whose
    /// block throws leaves no event, and the next one runs.
    ///
    /// The key is for one intent. A call with another one, by its name or its encoded bytes, or one
    /// with and one without an intent, is no repetition, and throws `.conflict`. Actor, reason and
    /// metadata are not compared.
    ///
    /// Keys are remembered for ``Options/idempotencyWindow``, from the time of their event to that
    /// which the new event would have. Undoing an event does not free its key.
    ///
    /// - Parameters:
    ///   - key: 1 to 256 bytes of UTF-8, compared byte by byte. One space of keys for the store.
    ///   - actor: who makes the change, as for `write`.
    ///   - reason: why.
    ///   - metadata: more about the change.
    ///   - intent: the domain command that led to the change; compared with that of the first call.
    ///   - condition: what the write was decided on; not checked for a repetition.
    ///   - durability: how durable the event is on return. Default: `Options.durability`.
    ///   - block: makes the changes. It returns nothing, as it may not run.
    /// - Returns: the receipt, with the sequence of the key's event.
    /// - Complexity: of a repetition, O(log n) of the keys in the window.
    /// - Throws: `StoreError`, with `.conflict` if the key was used with another intent, in which
    ///   case its place has the event; `.invalidInput` if the key is empty or too long; what
    ///   `write` throws.
    @discardableResult
    public func write(
        once key: String, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), intent: (any DomainCommand)? = nil,
        expecting condition: WriteCondition? = nil, durability: Durability? = nil,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws -> Receipt {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition, once: key)
        var receipt = Receipt(nil, request.durability, nil)
        do {
            _ = try withWriterLock { try commitOnce(request, &receipt, block) }
        } catch {
            throw receipt.error(error)
        }
        return request.durability == .durable ? try receipt.madeDurable() : receipt
    }

    /// Runs a write block on the store's thread, unless a write with the same idempotency key has
    /// done so already, and suspends until its durability is reached.
    ///
    /// Of two calls that wait at the same time the first one runs. Parameters and errors are those
    /// of the synchronous form; `.nestedWrite` cannot occur. Cancelling the task does not take the
    /// write back.
    @discardableResult
    public func write(
        once key: String, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), intent: (any DomainCommand)? = nil,
        expecting condition: WriteCondition? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void
    ) async throws -> Receipt {
        let request = try request(
            actor, reason, metadata, intent, durability, expecting: condition, once: key)
        return try await withCheckedThrowingContinuation { continuation in
            // The task that waits is the bound of the queue.
            enqueue(
                request, isBounded: false,
                finish: { continuation.resume(with: $0.map(\.receipt)) }
            ) {
                _ = try $0.commitOnce(request, &$1, block)
            }
        }
    }

    /// Queues a write block that runs unless a write with the same idempotency key has done so
    /// already, and returns immediately.
    ///
    ///     store.writeAsync(once: message.id) { tx in … } completion: { result in … }
    ///
    /// Parameters are those of the synchronous form; queue, completion and errors those of
    /// `writeAsync`. The receipt says whether the block has run: see ``Receipt/isRepeated``.
    public func writeAsync(
        once key: String, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata(), intent: (any DomainCommand)? = nil,
        expecting condition: WriteCondition? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void,
        completion: (@Sendable (Result<Receipt, any Error>) -> Void)? = nil
    ) {
        let finish = finish(calling: completion)
        do {
            let request = try request(
                actor, reason, metadata, intent, durability, expecting: condition, once: key)
            enqueue(request, isBounded: true, finish: finish) {
                _ = try $0.commitOnce(request, &$1, block)
            }
        } catch {
            finish(.failure(error))
        }
    }

    /// Commits a write block, or finds the event of an earlier write with the request's key. The
    /// calling thread must hold the writer lock.
    ///
    /// - Returns: what the block returns; nil if it did not run.
    func commitOnce<R>(
        _ request: WriteRequest, _ receipt: inout Receipt,
        _ block: (inout WriteTransaction) throws -> R
    ) throws -> R? {
        try checkOpen()
        // First: what is lost with a turn later is not taken for a repetition.
        let ends = (all: session.engine.end, durable: session.engine.durableEnd)
        try session.checkWriter()
        if session.publication != nil {
            receipt = self.receipt(nil, request.durability, at: ends.all, in: session)
        }
        guard let first = firstEvent(of: request) else {
            return try commit(request, &receipt, block)
        }
        try Self.check(request, repeats: first)
        receipt = try self.receipt(repeating: first, request.durability, ends)
        return nil
    }

    /// The event that has the request's key already; nil if the block must run. O(log n).
    func firstEvent(of request: WriteRequest) -> KeyedEvent? {
        guard let key = request.key else { return nil }
        let last = session.newest.time
        // The time of the event, if the block ran.
        let now = resources.environment.clock.nowMicroseconds()
        return session.keys.event(with: key.text, at: EventTime(after: last, now: now) ?? last)
    }

    private static func check(_ request: WriteRequest, repeats first: KeyedEvent) throws {
        guard request.intent.map({ KeyedEvent.hash(of: $0) }) != first.intentHash else { return }
        let had = first.intentHash == nil ? "without an intent" : "with another intent"
        let has = request.intent.map { "the intent \($0.name)" } ?? "no intent"
        throw StoreError(
            .conflict,
            "the idempotency key \"\(first.text)\" was used by event \(first.sequence) \(had), and "
                + "this write has \(has). Nothing was written; give each request a key that no "
                + "other has, and repeat it unchanged",
            at: StoreError.Place(sequences: first.sequence...first.sequence))
    }

    private func receipt(
        repeating first: KeyedEvent, _ durability: Durability,
        _ ends: (all: LogPosition, durable: LogPosition)
    ) throws -> Receipt {
        let session = session
        let engine = session.engine
        let isDurable = ends.durable.head.sequence >= first.sequence.rawValue
        // The event may still be in the process, if its own write was deferred.
        if !isDurable, durability == .buffered { try StoreError.wrap(try engine.flush()) }
        let promise = DurabilityPromise(
            log: engine, position: isDurable ? ends.durable : ends.all, syncer: session.syncer,
            subscriptions: session.subscriptions)
        return Receipt(
            first.sequence, isDurable ? .durable : Swift.min(durability, .buffered), promise,
            isRepeated: true)
    }
}

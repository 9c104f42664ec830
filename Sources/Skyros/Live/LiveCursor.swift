/// Reads a live query for one iterator: waits for events, and runs the user's filters and
/// comparisons on an actor, so that neither the writer nor the main actor does.
actor LiveCursor<E: Entity> {
    private var page: LivePage<E>
    private var hasEnded = false
    private let hub: LiveHub
    private let inbox: LiveInbox

    init(_ page: LivePage<E>) {
        self.page = page
        hub = page.hub
        inbox = page.inbox
    }

    deinit {
        hub.remove(inbox)
    }

    /// The next result; nil after the end of the store or the task.
    func next() async throws(StoreError) -> [E]? {
        guard !hasEnded else { return nil }
        do {
            if let values = try await nextChange() { return values }
        } catch {
            end()
            throw error
        }
        end()
        return nil
    }

    private func end() {
        hasEnded = true
        hub.remove(inbox)
    }

    private func nextChange() async throws(StoreError) -> [E]? {
        while !Task.isCancelled {
            if let failure = inbox.signal.failure { throw failure }
            if let values = try await advance() { return values }
            guard await inbox.signal.wait(after: page.sequence) else {
                if let failure = inbox.signal.failure { throw failure }
                return nil
            }
        }
        return nil
    }

    /// Brings the page to the newest state. Apart from the wait for the next event, during which
    /// no snapshot may be held: the writer would copy what it changes.
    private func advance() async throws(StoreError) -> [E]? {
        let state = hub.view.current
        // The newest event may be visible and not yet noted, for some microseconds.
        if hub.noted.last < state.sequence {
            _ = await hub.noted.wait(after: state.sequence.advanced(by: -1))
        }
        return try page.advance(to: state)
    }
}

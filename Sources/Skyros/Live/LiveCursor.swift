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
            let state = hub.view.current
            // The newest event may be visible and not yet noted, for some microseconds.
            while hub.noted.last < state.sequence {
                guard await hub.noted.wait(after: state.sequence.advanced(by: -1)) else { break }
            }
            if let values = try page.advance(to: state) { return values }
            guard await inbox.signal.wait(after: page.sequence) else {
                if let failure = inbox.signal.failure { throw failure }
                return nil
            }
        }
        return nil
    }
}

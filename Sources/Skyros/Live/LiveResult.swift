public import Observation

/// The result of a live query as an observable object, for user interfaces.
///
///     let cards = LiveResult(store.live(Card.self, where: \.board == id, sortedBy: \.rank))
///     label.text = "\(cards.values.count) cards"      // SwiftUI and Observation track it
///
/// The first result is there when the initializer returns: it runs the query on the main
/// thread. Later ones are computed elsewhere and set on the main actor, the newest only.
/// Updates end when the object is released, or the store is closed.
@MainActor @Observable
public final class LiveResult<E: Entity> {
    /// The records, in the order of the request; those of the last result after an error.
    public private(set) var values: [E] = []
    /// Why there are no further results; nil while there are, and after the store was closed.
    public private(set) var error: StoreError?
    /// Whether there are no further results.
    public private(set) var hasEnded = false

    @ObservationIgnored private var reading: Reading?

    /// Runs the query and follows its changes.
    public init(_ query: LiveQuery<E>) {
        var page = query.makePage()
        do {
            values = try page.advance(to: page.hub.view.current) ?? []
        } catch {
            self.error = error
            hasEnded = true
            return
        }
        let cursor = LiveCursor(page)
        reading = Reading(
            Task { [weak self] in
                do throws(StoreError) {
                    while let values = try await cursor.next() { self?.values = values }
                } catch {
                    self?.error = error
                }
                self?.hasEnded = true
            })
    }

    /// Ends the updates; the values stay.
    public func stop() {
        reading = nil
    }

    /// The task that reads the query. Its last reference ends it.
    private final class Reading: Sendable {
        private let task: Task<Void, Never>

        init(_ task: Task<Void, Never>) {
            self.task = task
        }

        deinit {
            task.cancel()
        }
    }
}

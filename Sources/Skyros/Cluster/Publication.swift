import SkyrosDisk
import SkyrosLog

/// The events of this node that other machines have not acknowledged yet, with the state after
/// each.
///
/// Write blocks run on the state after the last one, so those of a group need not wait for one
/// another. Readers see an event when it is acknowledged, so no reader sees what a failover takes
/// back.
final class Publication: Sendable {
    /// An event that waits for its acknowledgement.
    struct Entry: Sendable {
        let position: LogPosition
        let state: Snapshot
        let dirty: DirtyRows
        let changes: [StagedChange]
        let byteCount: Int
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        /// The position up to which all was acknowledged.
        var acknowledged: LogPosition?
        /// Whether the turn to write was lost: what was appended in it is, too.
        var isOver = false
        /// Whether that was not taken back yet where events are noted before they are acknowledged.
        var hasLost = false
    }

    private let view: MainView
    private let state = Locked(State())
    /// Events become visible one after the other.
    private let publishing = Locked(())
    /// Called after each event has become visible.
    private let observer = Locked<Callback<Entry>?>(nil)

    init(_ view: MainView) {
        self.view = view
    }

    /// Calls `body` after each event has become visible, in their order, one at a time.
    func observe(_ body: @escaping @Sendable (Entry) -> Void) {
        observer.withLock { $0 = Callback(body) }
    }

    /// The state after the last event of this node. O(1).
    var newest: Snapshot { newestWithPosition.state }

    /// The state after the last event of this node, and the position that has to be acknowledged
    /// for it; nil if all of it was.
    var newestWithPosition: (state: Snapshot, position: LogPosition?) {
        state.withLock { state in
            let last = state.entries.last
            return (last?.state ?? view.current, last?.position)
        }
    }

    /// Adds an event that was appended on `newest`, and may have been acknowledged since. The
    /// calling thread holds the writer lock.
    func add(_ entry: Entry) {
        let acknowledged = state.withLock { state -> LogPosition? in
            let acknowledged = state.acknowledged.flatMap { $0 >= entry.position ? $0 : nil }
            // The turn may have ended since the event was acknowledged.
            if !state.isOver || acknowledged != nil { state.entries.append(entry) }
            return acknowledged
        }
        if let acknowledged { publish(through: acknowledged) }
    }

    /// Shows the events that were acknowledged.
    func publish(through position: LogPosition) {
        publishing.withLock { _ in
            let published = state.withLock { state in
                let count = state.entries.prefix { $0.position <= position }.count
                let published = Array(state.entries.prefix(count))
                // Still under the lock: a block that begins finds the state here or there.
                for entry in published { view.advance(to: entry.state, dirty: entry.dirty) }
                state.entries.removeFirst(count)
                state.acknowledged = max(state.acknowledged ?? position, position)
                return published
            }
            let observer = observer.withLock { $0 }
            for entry in published { observer?.call(entry) }
        }
    }

    /// Forgets the events that are lost with the turn to write.
    func endTurn() {
        let lost = state.withLock { state in
            (state.isOver, state.hasLost) = (true, true)
            defer { state.entries = [] }
            return state.entries
        }
        // Their records are freed here, after the lock.
        withExtendedLifetime(lost) {}
    }

    /// Whether events were lost since the last call.
    func takeLoss() -> Bool {
        state.withLock { state in
            defer { state.hasLost = false }
            return state.hasLost
        }
    }

    /// Begins another turn. The calling thread holds the writer lock.
    func beginTurn() {
        state.withLock { $0.isOver = false }
    }
}

import SkyrosDisk

/// The cell that holds the newest snapshot.
///
/// A reader waits at most for a bounded step in memory: a small event is applied in place under
/// the lock, a large one to a copy that is then swapped in (promise P8).
final class MainView: Sendable {
    private struct Content: Sendable {
        var snapshot: Snapshot
        var touched = TouchedRows()
    }

    /// Events with more changes are applied outside of the lock.
    private static let changesInPlaceMax = 1_000

    private let content: Locked<Content>

    init(_ snapshot: Snapshot) {
        content = Locked(Content(snapshot: snapshot))
    }

    /// The newest state. O(1).
    var current: Snapshot {
        content.withLock { $0.snapshot }
    }

    /// Moves the view on by an event with `changeCount` changes. One thread at a time.
    func update(
        changeCount: Int, _ apply: (inout Snapshot, inout TouchedRows) throws -> Void
    ) rethrows {
        if changeCount <= Self.changesInPlaceMax {
            try content.withLock { try apply(&$0.snapshot, &$0.touched) }
            return
        }
        var copy = current
        var touched = TouchedRows()
        try apply(&copy, &touched)
        content.withLock { content in
            content.snapshot = copy
            content.touched.append(touched)
        }
    }

    /// The newest state and all rows touched since the last call.
    func takeTouched() -> (Snapshot, TouchedRows) {
        content.withLock { content in
            defer { content.touched = TouchedRows() }
            return (content.snapshot, content.touched)
        }
    }

    /// Puts back what was taken, because it could not be written.
    func giveBack(_ touched: TouchedRows) {
        content.withLock { content in
            var all = touched
            all.append(content.touched)
            content.touched = all
        }
    }
}

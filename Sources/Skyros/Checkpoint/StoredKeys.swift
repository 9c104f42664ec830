/// The totals of the idempotency keys in a checkpoint.
struct StoredKeys: Hashable, Sendable {
    var digest = RowsDigest()
    /// The checkpoint has the keys of all events after this one, up to its own.
    var bound = KeyBound.none

    /// The part of the log whose keys a checkpoint has: those after `bound`, through `last`.
    typealias Range = (bound: KeyBound, last: SequenceNumber)

    /// The time of the bound as it is stored.
    var boundTime: Int64 { bound.sequence == .zero ? 0 : bound.time.microseconds }
}

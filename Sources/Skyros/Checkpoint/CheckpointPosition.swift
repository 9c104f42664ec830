/// The event whose state a checkpoint holds, and the store.
struct CheckpointPosition: Hashable, Sendable {
    /// The store's id, 16 bytes.
    var storeID: [UInt8]
    /// The last event that the rows contain; 0 if there is none.
    var sequence: UInt64
    /// The chain hash over the history up to that event.
    var chainHash: UInt64
    /// The time of that event, in microseconds since 1970.
    var timeMicroseconds: Int64

    static let storeIDBytes = 16
}

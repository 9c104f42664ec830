/// Where in the history of which store a checkpoint stands.
package struct CheckpointPosition: Hashable, Sendable {
    /// The store's own id, 16 bytes.
    package var storeID: [UInt8]
    /// The last event that the rows contain; 0 when there is none.
    package var sequence: UInt64
    /// The chain hash over the history up to that event.
    package var chainHash: UInt64
    /// The time of that event, in microseconds since 1970.
    package var timeMicroseconds: Int64

    package static let storeIDBytes = 16

    package init(
        storeID: [UInt8], sequence: UInt64, chainHash: UInt64, timeMicroseconds: Int64
    ) {
        self.storeID = storeID
        self.sequence = sequence
        self.chainHash = chainHash
        self.timeMicroseconds = timeMicroseconds
    }
}

/// What a checkpoint says about itself; written in the same transaction as its rows.
package struct CheckpointMeta: Hashable, Sendable {
    /// What is known of one entity.
    package struct Entity: Hashable, Sendable {
        /// The entity's name in the records.
        package let name: String
        /// The name of its SQL table, which differs from `name` where that had to be escaped.
        package let table: String
        package let rowCount: Int
    }

    package let formatVersion: Int64
    package let position: CheckpointPosition
    /// The state digest over all rows.
    package let digest: StateDigest
    /// In the order in which they first appeared.
    package let entities: [Entity]
}

/// What a checkpoint keeps of a projection.
struct StoredProjection: Hashable, Sendable {
    let name: String
    let version: Int
    /// The last event in the value.
    let sequence: SequenceNumber
    /// The value in canonical CBOR; nil if the projection has none yet, or has failed before.
    let value: [UInt8]?
    /// Why it has no later value; nil if it has not failed.
    var failure: ProjectionFailure?
}

/// A projection as the checkpoint has it.
public struct ProjectionInfo: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The version of its code.
    public let version: Int
    /// The last event in its value.
    public let sequence: SequenceNumber
    /// The size of its value in bytes; nil if it has none.
    public let byteCount: Int?
    /// Where and why it has stopped; nil if it has not.
    public let failure: ProjectionFailure?

    init(_ stored: StoredProjection) {
        name = stored.name
        version = stored.version
        sequence = stored.sequence
        byteCount = stored.value?.count
        failure = stored.failure
    }
}

/// Where and why a projection has stopped.
public struct ProjectionFailure: Hashable, Sendable {
    /// The event that it could not apply, or the last one of those that are not kept.
    public let sequence: SequenceNumber
    /// The error that it threw, in words.
    public let message: String
    /// What it could not do.
    let kind: Kind

    /// As stored in a checkpoint.
    enum Kind: Int64 {
        /// It threw at an event, or in the initialiser for a state.
        case hasThrown = 1
        /// It needs events that are not kept.
        case isBelowFloor = 2
    }

    init(_ kind: Kind, at sequence: SequenceNumber, _ message: String) {
        self.kind = kind
        self.sequence = sequence
        self.message = message
    }

    /// - Parameter error: what the projection threw.
    init(_ error: any Error, at sequence: SequenceNumber) {
        let isBelowFloor = (error as? StoreError)?.code == .belowFloor
        self.init(
            isBelowFloor ? .isBelowFloor : .hasThrown, at: sequence, String(describing: error))
    }
}

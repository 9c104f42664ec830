/// How far a subscription has handled the events of a store: a fact that no log can replace.
public struct SubscriptionPosition: Hashable, Sendable {
    /// The last event that was handled; zero if there was none.
    public let sequence: SequenceNumber
    /// The chain hash through that event, as 16 hex digits: it tells the history of the store from
    /// any other.
    public let chainHash: String
    /// Whether the store keeps the events that are not handled yet, whatever its retention is.
    public let keepsHistory: Bool

    /// A position with these parts.
    public init(sequence: SequenceNumber, chainHash: String, keepsHistory: Bool) {
        self.sequence = sequence
        self.chainHash = chainHash
        self.keepsHistory = keepsHistory
    }
}

/// Where the positions of subscriptions are kept. By default each is a file in the store.
///
/// Another place is of use where the effects have transactions: a handler that commits its effect
/// and `SubscriptionPosition(after: event)` in one of them has each effect exactly once. The store
/// saves the same position again afterwards. It saves none while a handler runs, and none before
/// that which it finds.
///
/// Methods may block. They are called on threads of the store and on those that call it, one at a
/// time for each subscription, and never under the writer lock. A handler is not called until
/// `position(of:)` has returned; an error of it is tried again after a pause.
public protocol SubscriptionPositions: Sendable {
    /// The position of a subscription; nil if there is none.
    func position(of name: String) throws -> SubscriptionPosition?

    /// Keeps a position, durably when it returns.
    func save(_ position: SubscriptionPosition, of name: String) throws

    /// Forgets a position; does nothing if there is none.
    func remove(_ name: String) throws

    /// All positions by their names.
    func all() throws -> [String: SubscriptionPosition]
}

/// A command of the app's own language, kept with the event as data: it says what was asked for.
///
/// It is never run again. Replay folds the changes that it led to.
///
///     struct PlaceOrder: DomainCommand {
///         var restaurant: UUID
///         var items: [String]
///     }
///     try store.write(intent: PlaceOrder(restaurant: id, items: ["pizza"])) { tx in … }
public protocol DomainCommand: Codable, Sendable {
    /// The name under which the command is kept. Default: the type's bare name.
    static var commandName: String { get }
}

extension DomainCommand {
    public static var commandName: String { String(describing: Self.self) }
}

/// What was asked for, as the event keeps it: a name and a value without its Swift type.
public struct Intent: Hashable, Sendable {
    public let name: String
    package let encoded: [UInt8]

    package init(name: String, encoded: [UInt8]) {
        self.name = name
        self.encoded = encoded
    }
}

/// A domain command of the app, stored with the event as data: the intent of the write.
///
/// It is never run again. Replay folds the changes that it led to.
///
///     struct PlaceOrder: DomainCommand {
///         var restaurant: UUID
///         var items: [String]
///     }
///     try store.write(intent: PlaceOrder(restaurant: id, items: ["pizza"])) { tx in … }
public protocol DomainCommand: Codable, Sendable {
    /// The name under which the command is stored. Default: the type's bare name.
    static var commandName: String { get }
}

extension DomainCommand {
    /// The type's bare name.
    public static var commandName: String { String(describing: Self.self) }
}

/// A domain command without its Swift type, as the event stores it: a name and a value.
public struct Intent: Hashable, Sendable {
    /// The command's name.
    public let name: String
    package let encoded: [UInt8]
    /// What a later version has added: keys that begin with `+`.
    package let additions: Fields

    package init(name: String, encoded: [UInt8], additions: Fields = .none) {
        self.name = name
        self.encoded = encoded
        self.additions = additions
    }

    /// Encodes a command; throws `StoreError` with `.notEncodable`.
    init<C: DomainCommand>(_ command: C) throws {
        let name = C.commandName
        let encoded = try StoreError.wrapping(
            .notEncodable, "the command \(name) cannot be encoded; see the cause"
        ) { try CBOREncoder().encode(command) }
        self.init(name: name, encoded: encoded)
    }

    /// The command without its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the bytes are damaged.
    public var value: FieldValue {
        get throws {
            try StoreError.wrapping(.notDecodable, "the intent \(name) is damaged; see the cause") {
                try FieldValue(cbor: encoded)
            }
        }
    }

    /// The command as a value of its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit the type.
    public func decode<C: DomainCommand>(as type: C.Type) throws -> C {
        try StoreError.wrapping(
            .notDecodable, "the intent \(name) does not fit the type \(type)"
        ) { try CBORDecoder().decode(type, from: encoded) }
    }
}

public import Foundation

/// A value of the app that is stored with an event as data, and says what the write was for: its
/// intent.
///
/// It has no code that is run. A ``Command`` has.
///
///     struct PlaceOrder: DomainCommand {
///         var restaurant: UUID
///         var items: [String]
///     }
///     try store.write(intent: PlaceOrder(restaurant: id, items: ["pizza"])) { tx in … }
public protocol DomainCommand: Codable, Sendable {
    /// The name under which the command is stored. Default: the type's bare name.
    static var commandName: String { get }

    /// The version of the command's properties, from 1 to 65,535, which is stored with each.
    /// Default: 1. Raise it with a change that commands of before do not fit.
    static var commandVersion: Int { get }
}

extension DomainCommand {
    /// The type's bare name.
    public static var commandName: String { String(describing: Self.self) }

    /// The first.
    public static var commandVersion: Int { Intent.firstVersion }
}

/// A domain command without its Swift type, as the event stores it: a name and a value.
public struct Intent: Hashable, Sendable {
    /// The command's name.
    public let name: String
    /// The version of the command's type that wrote it: ``DomainCommand/commandVersion``.
    public let version: Int
    package let encoded: [UInt8]
    /// The ids that the command was given by `newID()`, 16 bytes each.
    package internal(set) var idBytes: [UInt8]
    /// What the command returned; nil if the event was not made by `perform`.
    package internal(set) var encodedOutput: [UInt8]?
    /// What a later version has added: keys that begin with `+`.
    package let additions: Fields

    static let firstVersion = 1
    static let versionMax = 65_535
    static let idByteCount = 16

    package init(
        name: String, version: Int = 1, encoded: [UInt8], idBytes: [UInt8] = [],
        encodedOutput: [UInt8]? = nil, additions: Fields = .none
    ) {
        self.name = name
        self.version = version
        self.encoded = encoded
        self.idBytes = idBytes
        self.encodedOutput = encodedOutput
        self.additions = additions
    }

    /// Encodes a command; throws `StoreError` with `.notEncodable`.
    init<C: DomainCommand>(_ command: C) throws {
        let (name, version) = (C.commandName, C.commandVersion)
        guard (Self.firstVersion...Self.versionMax).contains(version) else {
            throw StoreError(
                .notEncodable,
                "the command \(name) has the version \(version); give it one from 1 to 65,535")
        }
        let encoded = try StoreError.wrapping(
            .notEncodable, "the command \(name) cannot be encoded; see the cause"
        ) { try CBOREncoder().encode(command) }
        self.init(name: name, version: version, encoded: encoded)
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

    /// What the command returned when it was performed, without its type: null for `Void`; nil if
    /// the event was not made by `perform`.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if the bytes are damaged.
    public var output: FieldValue? {
        get throws {
            try StoreError.wrapping(
                .notDecodable, "the result of \(name) is damaged; see the cause"
            ) { try encodedOutput.map { try FieldValue(cbor: $0) } }
        }
    }

    /// The ids that the command was given by ``WriteTransaction/newID()``, in their order.
    public var ids: [UUID] { UUID.list(from: idBytes) }

    /// The command as a value of its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit the type.
    public func decode<C: DomainCommand>(as type: C.Type) throws -> C {
        try StoreError.wrapping(
            .notDecodable, "the intent \(name) does not fit the type \(type)"
        ) { try CBORDecoder().decode(type, from: encoded) }
    }
}

extension UUID {
    /// UUIDs of 16 bytes each.
    static func list(from bytes: [UInt8]) -> [UUID] {
        bytes.withUnsafeBytes { bytes in
            (0..<(bytes.count / Intent.idByteCount)).map { index in
                let offset = index * Intent.idByteCount
                return UUID(
                    uuid: bytes.loadUnaligned(fromByteOffset: offset, as: uuid_t.self))
            }
        }
    }
}

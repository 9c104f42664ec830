/// A decision of the app: a value that says what is asked for, with the code that carries it out.
///
///     struct Transfer: Command {
///         var from, to: Account.ID
///         var cents: Int
///
///         func run(_ tx: inout WriteTransaction) throws -> Balance {
///             let left = try tx.update(Account.self, from) { account in
///                 guard account.cents >= cents else { throw TransferError.overdrawn }
///                 account.cents -= cents
///                 return account.cents
///             }
///             try tx.update(Account.self, to) { $0.cents += cents }
///             return Balance(cents: left)
///         }
///     }
///     let balance = try store.perform(Transfer(from: a, to: b, cents: 500), by: "alice")
///
/// The event keeps the command's name, version and value, and what `run` returned, besides the
/// changes that it led to. The changes are what counts: opening and replaying a store never runs a
/// command. But it can be *executed again*:
/// ``Archive/reexecute(_:after:through:differencesMax:progress:)`` runs today's code on the states
/// of the past and compares. For that, `run` takes all of its inputs from its properties and the
/// transaction: the time from ``WriteTransaction/now``, new ids from ``WriteTransaction/newID()``.
public protocol Command: DomainCommand {
    /// What `run` returns: `Codable` and `Sendable`, or `Void`.
    associatedtype Output: Sendable

    /// Carries the command out. If it throws, nothing has changed, and there is no event.
    func run(_ tx: inout WriteTransaction) throws -> Output

    /// A text that is the same whenever the same request is performed again, such as the id of the
    /// request: then `run` is not called a second time, see `Store.perform`. Default: nil.
    ///
    /// A repetition must have the same encoded properties. So one across an update of the app that
    /// changes the properties of the command throws `.conflict`.
    var idempotencyKey: String? { get }

    /// Makes the command of what an event has kept. Default: decodes it.
    ///
    /// Implement it after a change of the properties that old commands do not fit:
    ///
    ///     static let commandVersion = 2
    ///     static func command(from intent: Intent) throws -> Transfer {
    ///         intent.version < 2
    ///             ? Transfer(try intent.decode(as: EuroTransfer.self))
    ///             : try intent.decode(as: Transfer.self)
    ///     }
    static func command(from intent: Intent) throws -> Self

    /// How an event keeps what `run` returned. Provided if `Output` is `Codable` or `Void`;
    /// otherwise the type says it.
    static var outputCoding: OutputCoding<Output> { get }
}

extension Command {
    /// None: each call of `perform` runs the command.
    public var idempotencyKey: String? { nil }

    /// Decodes the command, whatever its version.
    public static func command(from intent: Intent) throws -> Self {
        try intent.decode(as: Self.self)
    }
}

extension Command where Output: Codable {
    /// The canonical encoding, as in records.
    public static var outputCoding: OutputCoding<Output> { .codable }
}

extension Command where Output == Void {
    /// Nothing but the fact that the command was performed.
    public static var outputCoding: OutputCoding<Void> { .void }
}

/// How an event keeps what a command returned.
public struct OutputCoding<Output: Sendable>: Sendable {
    let encode: @Sendable (Output) throws -> [UInt8]
    let decode: @Sendable ([UInt8]) throws -> Output
    /// What every command of this type returns; nil if the event has to be read for it.
    let constant: Output?

    /// By functions, for a type that is not `Codable`.
    public init(
        encode: @escaping @Sendable (Output) throws -> FieldValue,
        decode: @escaping @Sendable (FieldValue) throws -> Output
    ) {
        self.init(
            encode: { try encode($0).encoded() }, decode: { try decode(FieldValue(cbor: $0)) },
            constant: nil)
    }

    fileprivate init(
        encode: @escaping @Sendable (Output) throws -> [UInt8],
        decode: @escaping @Sendable ([UInt8]) throws -> Output, constant: Output?
    ) {
        self.encode = encode
        self.decode = decode
        self.constant = constant
    }
}

extension OutputCoding where Output: Codable {
    /// By `Codable`.
    public static var codable: Self {
        Self(
            encode: { try CBOREncoder().encode($0) },
            decode: { try CBORDecoder().decode(Output.self, from: $0) }, constant: nil)
    }
}

extension OutputCoding where Output == Void {
    /// As null.
    public static var void: Self {
        Self(encode: { [0xF6] }, decode: { _ in }, constant: ())
    }
}

extension Intent {
    /// What a performed command returned, as a value of its type.
    ///
    /// - Throws: `StoreError` with `.notDecodable` if it does not fit the type, or if the intent is
    ///   not that of a performed command.
    public func output<C: Command>(of type: C.Type) throws -> C.Output {
        guard let encodedOutput else {
            throw StoreError(
                .notDecodable,
                "the event's intent \(name) has no result: no call of perform made the event, or "
                    + "it was taken over from a checkpoint, which has none")
        }
        return try StoreError.wrapping(
            .notDecodable, "the result of \(name) does not fit \(C.Output.self)"
        ) { try C.outputCoding.decode(encodedOutput) }
    }
}

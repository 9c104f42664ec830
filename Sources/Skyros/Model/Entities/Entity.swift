/// A type whose values are stored.
///
///     struct Restaurant: Entity {
///         var id = UUID()
///         var name: String
///         var cuisine: String
///         static let indexes: [Index<Restaurant>] = [.on(\.cuisine)]
///     }
///
/// An entity encodes itself as keyed fields, as the compiler's own `Codable` does. Its id is
/// given by the app at creation and never changes. Decoding must give the id that was encoded: a
/// type that makes another one, as with `let id = UUID()`, is refused at its first write. If no
/// single field holds the id, each record that is written is decoded, too.
public protocol Entity: Codable, Identifiable, Sendable where ID: Codable & Sendable {
    /// The name on disk. Default: the type's bare name, without its module. Pin it before the
    /// type is renamed:
    ///
    ///     static let entityName = "Restaurant"
    static var entityName: String { get }

    /// The indexes that speed up filters and sorts, and that keep values unique. Default: none.
    static var indexes: [Index<Self>] { get }

    /// How the shape of the entity has changed since its first version. Default: not at all.
    ///
    ///     static let evolution: Evolution<Customer> = [
    ///         .version(2) { .rename("name", to: "fullName").drop("fax") }
    ///     ]
    static var evolution: Evolution<Self> { get }

    /// The type of ``prototype``: the entity itself, or `Never?` if there is none.
    associatedtype Prototype = Never?

    /// A value from which properties are taken that a stored record lacks. Default: none.
    ///
    ///     static let prototype = Customer(id: UUID(), fullName: "", newsletter: false)
    ///
    /// So a new property needs no step of ``evolution``. It is read only if the type asks for a
    /// field that the record lacks; an optional property is nil then.
    static var prototype: Prototype { get }

    /// The order of reads that ask for none. Default: the order of the ids.
    ///
    ///     static let defaultOrder: [Sort<Restaurant>] = [.ascending(\.name)]
    ///
    /// ``Sort/byID`` in a read asks for the order of the ids instead.
    static var defaultOrder: [Sort<Self>] { get }

    /// The references to other records that the store keeps whole. Default: none.
    static var relations: [Relation<Self>] { get }

    /// Whether each event that changes a record of the entity must have a reason. Default: false.
    ///
    ///     static let requiresReason = true
    ///
    /// A write without one throws `.reasonRequired`, and changes nothing. The log records the rule,
    /// so that it also holds where the type is not known, as in the tool. See also
    /// ``Store/Options/requiresReason``.
    static var requiresReason: Bool { get }
}

extension Entity {
    /// The type's bare name.
    public static var entityName: String { String(describing: Self.self) }

    /// None.
    public static var indexes: [Index<Self>] { [] }

    /// The first shape.
    public static var evolution: Evolution<Self> { Evolution() }

    /// The order of the ids.
    public static var defaultOrder: [Sort<Self>] { [] }

    /// None.
    public static var relations: [Relation<Self>] { [] }

    /// No.
    public static var requiresReason: Bool { false }
}

extension Entity where Prototype == Never? {
    /// None.
    public static var prototype: Never? { nil }
}

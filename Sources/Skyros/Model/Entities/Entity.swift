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

    /// The order of reads that ask for none. Default: the order of the ids.
    ///
    ///     static let defaultOrder: [Sort<Restaurant>] = [.ascending(\.name)]
    ///
    /// ``Sort/byID`` in a read asks for the order of the ids instead.
    static var defaultOrder: [Sort<Self>] { get }

    /// The references to other records that the store keeps whole. Default: none.
    static var relations: [Relation<Self>] { get }
}

extension Entity {
    /// The type's bare name.
    public static var entityName: String { String(describing: Self.self) }

    /// None.
    public static var indexes: [Index<Self>] { [] }

    /// The order of the ids.
    public static var defaultOrder: [Sort<Self>] { [] }

    /// None.
    public static var relations: [Relation<Self>] { [] }
}

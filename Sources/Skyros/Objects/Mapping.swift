/// How an app's objects are stored: which entity holds each of them, and the way there and back.
///
///     let places = Mapping<Place, StoredPlace>(id: \.id) { place in
///         StoredPlace(id: place.id, x: place.point.x, y: place.point.y)
///     } object: { stored in
///         Place(id: stored.id, point: Point(x: stored.x, y: stored.y))
///     }
///     try store.objects(places).insert(home)
///
/// An object that holds others uses their mapping, and stores their ids:
///
///     let lists = Mapping<ShoppingList, StoredList>(id: \.id) { list, context in
///         let stored = try list.items.map { try context.entity(for: $0, by: items) }
///         return StoredList(id: list.id, itemIDs: stored.map(\.id))
///     } object: { stored, context in
///         ShoppingList(id: stored.id, items: try context.objects(stored.itemIDs, by: items))
///     }
///
/// The closures run on the calling thread, those that make entities in a write block.
public struct Mapping<Object: Sendable, Stored: Entity>: Sendable {
    let id: @Sendable (Object) throws -> Stored.ID
    let makeStored: @Sendable (Object, inout StoringContext) throws -> Stored
    let makeObject: @Sendable (Stored, LoadingContext) throws -> Object

    /// A mapping of objects that hold others.
    ///
    /// - Parameters:
    ///   - id: the identity of an object, which is the id of its entity.
    ///   - stored: makes the entity of an object. The context gives the entities of related
    ///     objects, and reads what is stored already, such as fields that the object lacks.
    ///   - object: makes the object of an entity. The context gives related objects.
    public init(
        id: @escaping @Sendable (Object) throws -> Stored.ID,
        stored: @escaping @Sendable (Object, inout StoringContext) throws -> Stored,
        object: @escaping @Sendable (Stored, LoadingContext) throws -> Object
    ) {
        self.id = id
        makeStored = stored
        makeObject = object
    }

    /// A mapping of objects that hold no others.
    public init(
        id: @escaping @Sendable (Object) throws -> Stored.ID,
        stored: @escaping @Sendable (Object) throws -> Stored,
        object: @escaping @Sendable (Stored) throws -> Object
    ) {
        self.init(id: id) { value, _ in
            try stored(value)
        } object: { entity, _ in
            try object(entity)
        }
    }
}

extension Mapping where Object == Stored {
    /// The mapping of an entity to itself.
    static var itself: Mapping {
        Mapping(id: { $0.id }, stored: { $0 }, object: { $0 })
    }
}

/// A record that a mapping is working on.
struct MappedRecord: Hashable, Sendable {
    let entity: String
    let id: RecordID

    /// Names are compared by their bytes.
    static func == (a: MappedRecord, b: MappedRecord) -> Bool {
        a.id == b.id && a.entity.isSameName(as: b.entity)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(Array(entity.utf8))
        hasher.combine(id)
    }

    /// Throws if the mapping of this record is in progress already: it would never end.
    func checkIsNew(among path: [MappedRecord]) throws {
        guard path.contains(self) else { return }
        throw StoreError(
            .invalidInput,
            "the mapping of \(entity) \(id) asks for itself, directly or through others; let one "
                + "of the objects keep the other's id instead of the other",
            at: StoreError.Place(entity: entity, ids: [id]))
    }
}

/// Makes the rows of a table: a part of it that is copied for less than the whole.
struct RowFactory: Sendable {
    /// The Swift type of the records; nil if it is not known.
    let type: (any Entity.Type)?
    /// Whether rows may keep the values that they decode: see `ValueProof`.
    private let keepsValues: Bool
    /// The steps of the entity's evolution; nil without any.
    let evolver: Evolver?

    init(for type: (any Entity.Type)?) {
        self.type = type
        keepsValues = type.map { ValueProof.succeeds(for: $0) } ?? false
        evolver = type.flatMap { Self.evolver(of: $0) }
    }

    private static func evolver<E: Entity>(of type: E.Type) -> Evolver? { E.evolution.evolver }

    /// A row for a record whose shape has this version.
    func row(
        _ id: RecordID, hash: UInt64, number: UInt64, version: Int, bytes: [UInt8]
    ) -> Row {
        func stored<E: Entity>(as type: E.Type) -> Row {
            StoredRow<E>(id: id, hash: hash, number: number, version: version, bytes: bytes)
        }
        if let evolver, version < evolver.version {
            return EvolvingRow(
                id: id, hash: hash, number: number, version: version, bytes: bytes, evolver)
        }
        if keepsValues, let type { return stored(as: type) }
        return Row(id: id, hash: hash, number: number, version: version, bytes: bytes)
    }
}

/// An event's effect on one record, or on all records of an entity.
public enum Change: Hashable, Sendable {
    /// The record was created.
    case inserted(Record)
    /// Some fields changed. A field that is in only one of the two did not exist on the other
    /// side.
    case updated(entity: String, id: RecordID, before: Fields, after: Fields)
    /// The record was deleted; this is its last content.
    case deleted(Record)
    /// All `count` records of the entity were deleted.
    case cleared(entity: String, count: Int)

    /// The entity concerned.
    public var entity: String {
        switch self {
        case .inserted(let record), .deleted(let record): record.entity
        case .updated(let entity, _, _, _), .cleared(let entity, _): entity
        }
    }

    /// The record concerned; nil if all of them are.
    public var id: RecordID? {
        switch self {
        case .inserted(let record), .deleted(let record): record.id
        case .updated(_, let id, _, _): id
        case .cleared: nil
        }
    }
}

extension Change: CustomStringConvertible {
    /// The kind, the record and its fields: `inserted Note 7 {"text":"a"}`; of an update the
    /// changed fields before and after.
    public var description: String {
        switch self {
        case .inserted(let record): "inserted \(record)"
        case .updated(let entity, let id, let before, let after):
            "updated \(entity) \(id) \(before) → \(after)"
        case .deleted(let record): "deleted \(record)"
        case .cleared(let entity, let count): "deleted all \(count) records of \(entity)"
        }
    }
}

extension Record: CustomStringConvertible {
    /// The entity, the id and the fields: `Note 7 {"text":"a"}`.
    public var description: String { "\(entity) \(id) \(fields)" }
}

extension Fields: CustomStringConvertible {
    /// The fields as JSON, with dates rounded to the microsecond.
    public var description: String { (try? value.readableText()) ?? "(unreadable)" }
}

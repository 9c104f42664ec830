/// The event that gave a field its value.
public struct FieldOrigin: Hashable, Sendable {
    /// The field's name.
    public let field: String
    /// Its value.
    public let value: FieldValue
    /// The change that set it: who, when and why, and what was there before.
    public let entry: HistoryEntry
}

extension FieldOrigin {
    /// The origins of the fields that a record has after the last of its changes, or had before it
    /// was deleted; in canonical order.
    package static func list(of history: [HistoryEntry]) throws -> [FieldOrigin] {
        var origins = NamedValues<FieldOrigin>()
        for entry in history {
            switch entry.kind {
            case .inserted, .kept: origins = NamedValues()
            case .updated: break
            case .deleted, .cleared: continue
            }
            for change in try entry.changes {
                origins[change.field] = change.after.map {
                    FieldOrigin(field: change.field, value: $0, entry: entry)
                }
            }
        }
        return origins.map(\.value)
    }
}

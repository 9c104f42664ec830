import Skyros

/// The kind of each field of an import: as the arguments say, or the first that all values have.
struct FieldKinds {
    private struct Key: Hashable {
        let entity: String
        let field: String
    }

    /// The kinds that the arguments name, by field.
    private let given: [String: FieldKind]
    private let guesses: [FieldKind]
    /// What is left of the guesses for the texts of a field; nil before the first one.
    private var left: [Key: [FieldKind]] = [:]

    init(given: [String: FieldKind], guesses: [FieldKind]) {
        self.given = given
        self.guesses = guesses
    }

    /// Compares the texts of a row with the guesses.
    mutating func look(at row: ImportRow) {
        for (field, value) in row.fields where given[field] == nil { look(value, row, field) }
        look(row.id, row, Self.idField)
    }

    /// The name of the id among the fields: no field is named so.
    private static let idField = "\0id"

    private mutating func look(_ value: FieldValue, _ row: ImportRow, _ field: String) {
        guard case .text = value else { return }
        let key = Key(entity: row.entity, field: field)
        let kinds = left[key] ?? guesses
        guard !kinds.isEmpty || left[key] == nil else { return }
        left[key] = kinds.filter { $0.value(of: value) != nil }
    }

    /// The kind of a field's texts.
    private func kind(of field: String, _ entity: String) -> FieldKind {
        given[field] ?? left[Key(entity: entity, field: field)]?.first ?? .text
    }

    /// The fields whose texts become something else, by entity and field.
    var conversions: [(entity: String, field: String, kind: FieldKind)] {
        left.compactMap { key, kinds in
            guard key.field != Self.idField, let kind = kinds.first, kind != .text else {
                return nil
            }
            return (key.entity, key.field, kind)
        }
        .sorted { ($0.entity, $0.field) < ($1.entity, $1.field) }
    }

    /// The record of a row.
    ///
    /// - Throws: `StoreError` with `.invalidInput` if a value is not of the kind that was given.
    func record(of row: ImportRow) throws -> Record {
        var fields = NamedValues<FieldValue>()
        for (field, value) in row.fields { fields[field] = try convert(value, field, row) }
        let id: FieldValue
        if let idField = row.idField, let value = fields[idField] {
            id = value
        } else if case .text = row.id {
            id = kind(of: Self.idField, row.entity).value(of: row.id) ?? row.id
        } else {
            id = row.id
        }
        do {
            return try Record(entity: row.entity, id: RecordID(id), fields: fields)
        } catch {
            throw StoreError.input(row.place, "the record cannot be stored: \(error)")
        }
    }

    private func convert(
        _ value: FieldValue, _ field: String, _ row: ImportRow
    ) throws -> FieldValue {
        if let kind = given[field] {
            guard let converted = kind.value(of: value) else {
                throw StoreError.input(
                    row.place, "\(field) is \(value.jsonText()), which is no \(kind.rawValue)")
            }
            return converted
        }
        guard case .text = value else { return value }
        return kind(of: field, row.entity).value(of: value) ?? value
    }
}

import Skyros

/// The rows of a file with a JSON object on each line: what `skyros export` writes, or the fields
/// of one record.
struct JSONLinesSource: ImportSource {
    let bytes: [UInt8]
    /// The entity of lines that do not name one.
    let entity: String?
    /// The field of such lines that holds the id.
    let idField: String
    let names: FieldNames

    let guessedKinds: [FieldKind] = [.uuid, .date]

    func forEachRow(_ body: (ImportRow) throws -> Void) throws {
        for (index, line) in bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() {
            let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            if !isBlank { try body(row(line, "line \(index + 1)")) }
        }
    }

    private func row(_ line: ArraySlice<UInt8>, _ place: String) throws -> ImportRow {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw StoreError.input(place, "it is not UTF-8; convert the file")
        }
        let value: FieldValue
        do {
            value = try FieldValue(json: text)
        } catch {
            throw StoreError.input(place, "it is no JSON: \(error)")
        }
        guard let object = value.map else {
            throw StoreError.input(place, "it is no JSON object")
        }
        if object.count == 3, let entity = object["entity"]?.text, let id = object["id"],
            let fields = object["record"]?.map
        {
            let fields = renamed(fields)
            return ImportRow(
                entity: entity, id: id, fields: fields, idField: fields["id"] == id ? "id" : nil,
                place: place)
        }
        guard let entity else {
            throw StoreError.input(
                place, "it names no entity; name one for all lines: --entity ENTITY")
        }
        let fields = renamed(object)
        guard let id = fields[idField], id != .null else {
            throw StoreError.input(
                place, "there is no field \(idField); name the field of the id with --id")
        }
        return ImportRow(
            entity: entity, id: id, fields: fields, idField: idField, place: place)
    }

    private func renamed(_ fields: NamedValues<FieldValue>) -> NamedValues<FieldValue> {
        NamedValues(fields.map { (names.field($0.key), $0.value) })
    }
}

/// A difference between the stored records of an entity and its type, for which no step is
/// declared.
public struct SchemaDifference: Hashable, Sendable {
    /// The entity.
    public let entity: String
    /// The stored field, or the one that is missing.
    public let field: String
    /// What differs, as the rest of a sentence that begins with the entity's records.
    public let fact: String
    /// The step that mends it, in Swift: `.rename("name", to: "fullName")`.
    public let step: String
    /// Whether the type fails to read a record. If not, a field is not read, and an optional
    /// property of the same kind is in no record: it may have been renamed.
    public let isCertain: Bool
    /// A record that shows it.
    public let id: RecordID
}

/// Compares stored records with a type: what does it fail to read, and which step would help?
///
/// The type decodes real records only; no value is made up. A decoder stops at the first field that
/// does not fit, so the names and types of the properties are read from the runtime's metadata, to
/// name all that are missing. They are used for that alone: coding keys may differ from them.
struct RecordComparison<E: Entity> {
    private let properties = TypeLayout(E.self)?.properties ?? []
    private(set) var differences: [SchemaDifference] = []
    /// Stored fields that the type does not read, with a record that has them.
    private var unread = NamedValues<(kind: ColumnKind, id: RecordID)>()
    /// The fields of all records that were compared.
    private var stored: Set<String> = []

    /// Compares a record.
    mutating func compare(_ row: Row) {
        guard let bytes = try? row.bytes(for: E.self),
            let kinds = try? Fields(trusted: bytes).kinds()
        else { return }
        stored.formUnion(kinds.keys)
        var requests = FieldRequests()
        do {
            _ = try PrototypeFields.decode(E.self, from: bytes, &requests)
            noteUnread(bytes, kinds, requests, row.id)
        } catch DecodingError.keyNotFound(let key, let context) where context.codingPath.isEmpty {
            noteMissing(key.stringValue, kinds, row.id)
        } catch DecodingError.typeMismatch(let type, let context) {
            noteMismatch(context.codingPath, type, kinds, row.id)
        } catch {
            // A value that the type refuses is no difference of shapes: it is reported as such.
        }
    }

    private mutating func add(
        _ field: String, _ fact: String, _ step: String, _ id: RecordID, isCertain: Bool = true
    ) {
        guard !differences.contains(where: { $0.step == step && $0.field == field }) else { return }
        differences.append(
            SchemaDifference(
                entity: E.entityName, field: field, fact: fact, step: step, isCertain: isCertain,
                id: id))
    }

    // MARK: Missing fields

    private mutating func noteMissing(
        _ field: String, _ kinds: NamedValues<ColumnKind>, _ id: RecordID
    ) {
        var missing: [(name: String, type: Any.Type?)] = [(field, property(field))]
        // The type reads further fields after this one.
        if property(field) != nil {
            for (name, type) in properties where name != field && kinds[name] == nil {
                if !(type is any OptionalType.Type) { missing.append((name, type)) }
            }
            noteOtherKinds(kinds, id)
        }
        var candidates = kinds.filter { property($0.key) == nil }
        for (name, type) in missing {
            let fact = "have no field \"\(name)\""
            let kind = ColumnKind(ofType: type)
            let matches = candidates.filter { $0.value == kind }.map(\.key)
            let isOnly = missing.filter { ColumnKind(ofType: $0.type) == kind }.count == 1
            if let other = Self.earlierName(of: name, among: matches, isOnly: isOnly) {
                candidates.removeAll { $0.key == other }
                add(name, fact, ".rename(\(Self.quoted(other)), to: \(Self.quoted(name)))", id)
            } else {
                let value = type.flatMap { Self.defaults[ObjectIdentifier($0)] } ?? "…"
                add(name, fact, ".add(\(Self.quoted(name)), \(value))", id)
            }
        }
    }

    /// The stored field that a missing one may have been: the only one of its kind, or the only one
    /// whose name is a part of the other.
    private static func earlierName(
        of name: String, among candidates: [String], isOnly: Bool
    ) -> String? {
        if isOnly, candidates.count == 1 { return candidates[0] }
        let similar = candidates.filter { other in
            let (a, b) = (other.lowercased(), name.lowercased())
            return a.contains(b) || b.contains(a)
        }
        return similar.count == 1 ? similar[0] : nil
    }

    private func property(_ name: String) -> Any.Type? {
        properties.first { $0.name == name }?.type
    }

    private static var defaults: [ObjectIdentifier: String] {
        [
            ObjectIdentifier(String.self): "\"\"", ObjectIdentifier(Int.self): "0",
            ObjectIdentifier(Double.self): "0.0", ObjectIdentifier(Bool.self): "false",
        ]
    }

    private static func quoted(_ name: String) -> String { FieldValue.text(name).jsonText() }

    // MARK: Other kinds

    private mutating func noteMismatch(
        _ path: [any CodingKey], _ type: Any.Type, _ kinds: NamedValues<ColumnKind>, _ id: RecordID
    ) {
        guard let field = path.first?.stringValue, let kind = kinds[field] else { return }
        let wanted = ColumnKind(ofType: type)
        let fact = "have \(kind.rawValue) in the field \"\(field)\", which is read as \(type)"
        let step =
            wanted.flatMap { FieldConversion.named(from: kind, to: $0) }
            .map { ".retype(\(Self.quoted(field)), .\($0.name))" }
        guard path.count == 1, let step else {
            return add(field, fact, "{ record in record[\(Self.quoted(field))] = … }", id)
        }
        add(field, fact, step, id)
    }

    /// Notes the properties whose stored values have another kind, of a record that was not read to
    /// its end.
    private mutating func noteOtherKinds(_ kinds: NamedValues<ColumnKind>, _ id: RecordID) {
        let numbers: [ColumnKind] = [.integer, .real]
        for (name, type) in properties {
            guard let kind = kinds[name], let wanted = ColumnKind(ofType: type), kind != wanted,
                !numbers.contains(kind) || !numbers.contains(wanted)
            else { continue }
            noteMismatch([CBORKey(name)], type, kinds, id)
        }
    }

    // MARK: Fields that are not read

    private mutating func noteUnread(
        _ bytes: [UInt8], _ kinds: NamedValues<ColumnKind>, _ requests: FieldRequests,
        _ id: RecordID
    ) {
        // The type was asked with the prototype's fields, which `kinds` does not have.
        let decoded = PrototypeFields.completing(bytes, as: E.self) ?? bytes
        for (index, name) in Fields(trusted: decoded).names.enumerated()
        where !requests.contains(index) {
            if let kind = kinds[name] { unread[name] = (kind, id) }
        }
    }

    /// Adds the optional properties that no record has, while a field of the same kind is not read:
    /// a rename without a step would lose it without an error. It may also be another version of
    /// the app that has added the field, so that is no reason to refuse.
    mutating func addLikelyRenames() {
        for (name, type) in properties where !stored.contains(name) {
            guard let optional = type as? any OptionalType.Type,
                let kind = ColumnKind(ofType: optional.wrapped),
                let match = unread.first(where: { $0.value.kind == kind && property($0.key) == nil }
                )
            else { continue }
            add(
                name,
                "have no field \"\(name)\", and \"\(match.key)\" is not read; if it was not "
                    + "renamed, .drop(\(Self.quoted(match.key)))",
                ".rename(\(Self.quoted(match.key)), to: \(Self.quoted(name)))", match.value.id,
                isCertain: false)
            unread[match.key] = nil
        }
    }
}

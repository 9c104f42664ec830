/// What the log records about an entity: the version of its shape, the steps that led to it, its
/// fields, its unique indexes and its relations.
///
/// It is the value of the entity's name in the map `schema` of an event. Parts that this version
/// does not know are kept.
public struct EntitySchema: Hashable, Sendable {
    /// The parts as the log holds them.
    let parts: Fields
    /// The newest version of the shape.
    public let version: Int

    enum Key {
        static let version = "version"
        static let steps = "steps"
        static let fields = "fields"
        static let unique = "unique"
        static let relations = "relations"
        static let reasons = "reasons"
    }

    /// The schema that the log holds; nil if it has no version.
    init?(_ parts: Fields) {
        guard let version = parts[Key.version]?.integer,
            (Evolver.firstVersion...Evolver.versionMax).contains(version)
        else { return nil }
        self.parts = parts
        self.version = version
    }

    /// - Parameters:
    ///   - evolver: the steps; nil for the first shape.
    ///   - fields: the kinds of the fields by name, as far as they are known.
    ///   - unique: the fields of each unique index.
    ///   - relations: field, target, kind and rule of each relation.
    ///   - requiresReason: whether events that change the records need a reason.
    init(
        _ evolver: Evolver?, fields: NamedValues<ColumnKind>, unique: [[String]],
        relations: [[String]], requiresReason: Bool = false
    ) throws {
        version = evolver?.version ?? Evolver.firstVersion
        var parts: NamedValues<FieldValue> = [Key.version: .integer(Int128(version))]
        if let evolver {
            parts[Key.steps] = .map(
                NamedValues(
                    evolver.versions.map { version in
                        (String(version.number), FieldValue.array(version.steps.map(\.value)))
                    }))
        }
        if !fields.isEmpty {
            parts[Key.fields] = .map(fields.mapValues { .text($0.rawValue) })
        }
        if !unique.isEmpty { parts[Key.unique] = Self.value(of: unique) }
        if !relations.isEmpty { parts[Key.relations] = Self.value(of: relations) }
        if requiresReason { parts[Key.reasons] = true }
        self.parts = try Fields(parts)
    }

    /// All parts as a value, as the log holds them.
    public var value: FieldValue {
        get throws { .map(try parts.values) }
    }

    /// The kinds of the fields by name, as far as they were known when the schema was recorded:
    /// `integer`, `real`, `text`, `boolean`, `bytes`, `uuid`, `date`, `url`, `decimal` or `json`.
    public var fields: NamedValues<String> {
        parts[Key.fields]?.map?.compactMapValues(\.text) ?? NamedValues()
    }

    /// The fields of each unique index.
    public var uniqueIndexes: [[String]] { texts(of: Key.unique) }

    /// Whether events that change the entity's records need a reason.
    public var requiresReason: Bool { parts[Key.reasons] == true }

    private static func value(of texts: [[String]]) -> FieldValue {
        .array(texts.map { .array($0.map { .text($0) }) })
    }

    /// The texts of a part that is an array of arrays.
    func texts(of key: String) -> [[String]] {
        parts[key]?.array?.map { $0.array?.compactMap(\.text) ?? [] } ?? []
    }

    /// The steps to each version after the first, as in Swift: `rename("name", to: "fullName")`.
    public var steps: [(version: Int, steps: [String])] {
        recordedVersions.map { version, values in
            (version, values.map { FieldStep($0)?.description ?? $0.jsonText() })
        }
    }

    /// The steps of each version as the log holds them, in ascending order.
    var recordedVersions: [(number: Int, steps: [FieldValue])] {
        (parts[Key.steps]?.map ?? NamedValues()).compactMap { name, value in
            guard let number = Int(name), number > Evolver.firstVersion, number <= version else {
                return nil
            }
            return (number: number, steps: value.array ?? [])
        }.sorted { $0.number < $1.number }
    }

    /// All recorded steps. A version with a closure of the app, or with a step that this version of
    /// the library does not know, throws when it is applied.
    var recordedEvolver: Evolver {
        Evolver(
            recordedVersions.map { number, values in
                let steps = values.compactMap { FieldStep($0) }
                guard steps.count == values.count, !steps.contains(.code) else {
                    return EvolutionVersion(number: number, steps: [.code]) { _ in
                        throw UnknownStep()
                    }
                }
                return EvolutionVersion(number: number, steps: steps)
            })
    }

    /// The steps that need no closure, up to the first version that does: what a tool can apply.
    var declarative: Evolver {
        Evolver(Array(recordedEvolver.versions.prefix { !$0.steps.contains(.code) }))
    }

    /// The kinds that the steps gave to fields, by the fields' newest names.
    var retypedFields: NamedValues<ColumnKind> {
        var kinds = NamedValues<ColumnKind>()
        for (_, values) in recordedVersions {
            for step in values.compactMap({ FieldStep($0) }) {
                switch step {
                case .retype(let field, let conversion): kinds[field] = conversion.target
                case .rename(let from, let to):
                    kinds[to] = kinds[from]
                    kinds[from] = nil
                default: break
                }
            }
        }
        return kinds
    }
}

/// The error of a step that only the app's type knows.
private struct UnknownStep: Error, CustomStringConvertible {
    let description = "only the app's type knows the step"
}

/// The evolution of an entity without its Swift type: applies the steps from one version of a shape
/// to the newest.
///
/// Immutable, so used from any thread. It runs closures of the app: never call it under a lock.
final class Evolver: Sendable {
    /// The version of a shape without any step.
    static let firstVersion = 1
    /// The largest version: a row has 16 bits for it.
    static let versionMax = 65_535

    let versions: [EvolutionVersion]
    /// The newest version.
    let version: Int
    /// The entity's Swift type; nil where it is not known.
    let type: ObjectIdentifier?

    convenience init(_ versions: [EvolutionVersion], of type: Any.Type) {
        self.init(versions, type: ObjectIdentifier(type))
    }

    init(_ versions: [EvolutionVersion], type: ObjectIdentifier? = nil) {
        self.versions = versions
        self.type = type
        version = versions.last?.number ?? Self.firstVersion
    }

    /// Why the declaration means nothing; nil if it does.
    var problem: String? {
        var last = Self.firstVersion
        for version in versions {
            guard version.number > last, version.number <= Self.versionMax else {
                return "version \(version.number) comes after \(last); versions ascend, from 2 to "
                    + "\(Self.versionMax)"
            }
            if let problem = version.steps.lazy.compactMap(\.problem).first {
                return "in version \(version.number), \(problem)"
            }
            last = version.number
        }
        return nil
    }

    /// The versions after `version`, in order.
    func versions(after version: Int) -> ArraySlice<EvolutionVersion> {
        versions.drop { $0.number <= version }
    }

    /// Whether a closure of the app is among the steps after `version`.
    func needsCode(after version: Int) -> Bool {
        versions(after: version).contains { $0.steps.contains(.code) }
    }

    /// Whether a step after `version` may give a record another id: it converts a field.
    func mayChangeID(after version: Int) -> Bool {
        version < self.version
            && versions(after: version).contains { version in
                version.steps.contains { if case .retype = $0 { true } else { false } }
            }
    }

    /// The fields of a record in the newest shape. O(steps · size).
    ///
    /// - Throws: `StoreError` with `.evolutionFailed`, which names entity, id and version.
    func evolve(
        _ bytes: [UInt8], from version: Int, _ entity: String, _ id: RecordID
    ) throws -> [UInt8] {
        var record = Record(entity: entity, id: id, fields: Fields(trusted: bytes))
        for step in versions(after: version) {
            do {
                try step.apply(to: &record)
            } catch {
                throw StoreError(
                    .evolutionFailed,
                    "the record \(id) of \"\(entity)\" cannot be brought to version "
                        + "\(step.number) of its shape: \(error). Correct the record with a "
                        + "version of the app that reads it, or convert it in a closure: "
                        + ".version(\(step.number)) { record in … }",
                    at: StoreError.Place(entity: entity, ids: [id]),
                    cause: String(describing: error))
            }
        }
        return record.fields.bytes
    }
}

extension EvolutionVersion {
    /// Whether a step may change one of the fields. O(steps).
    func touches(_ fields: [String]) -> Bool {
        steps.contains { step in
            guard let touched = step.fields else { return true }
            return touched.contains { fields.containsName($0) }
        }
    }

    fileprivate func apply(to record: inout Record) throws {
        for step in steps {
            if case .code = step {
                let (entity, id) = (record.entity, record.id)
                try body?(&record)
                // A closure may assign another record; its fields are what counts.
                record = Record(entity: entity, id: id, fields: record.fields)
            } else {
                try step.apply(to: &record)
            }
        }
    }
}

import SkyrosLog

// Comparing what is stored with the shapes of the types, before anything is changed.

extension StoreOpening {
    /// Compares the stored shapes with those of the types, and reports the steps between them.
    ///
    /// - Complexity: O(entities), with decoding of up to 32 records of each.
    /// - Throws: `StoreError` with `.schemaMismatch`, whose message has the code to add.
    func checkEvolution(of snapshot: Snapshot, _ report: inout RecoveryReport) throws {
        try schema.refuseOtherSteps(in: snapshot)
        for (index, entity) in schema.entities.enumerated() {
            guard let newest = snapshot.storedVersion(of: index), let evolver = entity.evolver
            else { continue }
            let oldest = snapshot.tables[index].olderRows.oldestVersion ?? newest
            let path = evolver.path(from: min(oldest, newest))
            if !path.isEmpty { report.evolution[entity.name] = path }
        }
        guard options.onSchemaChange != .ignore else { return }
        for (index, entity) in schema.entities.enumerated() {
            let found = snapshot.tables[index].differences(amongFirst: Self.sampleCount)
            report.schemaDifferences += found.filter { !$0.isCertain }
            let certain = found.filter(\.isCertain)
            guard let first = certain.first else { continue }
            guard options.onSchemaChange == .refuse else {
                report.schemaDifferences += certain
                continue
            }
            throw StoreError(
                .schemaMismatch, Self.message(certain, entity, snapshot.storedVersion(of: index)),
                at: StoreError.Place(entity: entity.name, ids: [first.id], field: first.field))
        }
    }

    private static func message(
        _ differences: [SchemaDifference], _ entity: Schema.EntityDefinition, _ stored: Int?
    ) -> String {
        let facts = differences.map { "they \($0.fact)" }.joined(separator: "; ")
        let declared = entity.evolver?.version ?? Evolver.firstVersion
        let isOpen = declared > stored ?? Evolver.firstVersion
        let version = isOpen ? declared : declared + 1
        let steps = differences.map(\.step).filter { $0.hasPrefix(".") }.joined()
        let bodies = differences.map(\.step).filter { !$0.hasPrefix(".") }
        let type = entity.typeName
        var code: [String] = []
        if !steps.isEmpty { code.append(".version(\(version)) { \(steps) }") }
        for (index, body) in bodies.enumerated() {
            code.append(".version(\(version + index + (steps.isEmpty ? 0 : 1))) \(body)")
        }
        let place =
            entity.evolver == nil
            ? "static let evolution: Evolution<\(type)> = [\(code.joined(separator: ", "))]"
            : "in its evolution: \(code.joined(separator: ", "))"
        return "stored records of \"\(entity.name)\" do not fit the type \(type): \(facts). Add to "
            + "\(type): \(place). A new property needs no step if the type has "
            + "static let prototype = \(type)(…), from which it is taken. To open the store all "
            + "the same, set Options.onSchemaChange"
    }

    /// The copy to make before a newer shape is written; nil if there is no need for one.
    func evolutionBackup(
        of snapshot: Snapshot, _ storeID: StoreID, _ report: inout RecoveryReport
    ) -> EvolutionBackup? {
        let isEvolving = schema.entities.indices.contains { index in
            snapshot.isOlder(index, than: schema.entities[index])
        }
        guard isEvolving, options.backsUpBeforeEvolution, report.sequence > .zero
        else { return nil }
        let backup = EvolutionBackup(of: disk, storeID, in: snapshot)
        report.backup = backup?.name
        return backup
    }
}

extension Schema.EntityDefinition {
    /// The name of the type in Swift.
    var typeName: String { String(describing: type) }
}

extension Schema {
    /// Throws if a type's steps are not those with which the records were written, or if it is too
    /// old for them.
    func refuseOtherSteps(in snapshot: Snapshot) throws {
        for entity in entities {
            guard let reason = snapshot.schemas[entity.name]?.refusal(of: entity.evolver) else {
                continue
            }
            throw StoreError(
                .schemaMismatch, "the records of \"\(entity.name)\" cannot be used: \(reason)",
                at: StoreError.Place(entity: entity.name))
        }
    }
}

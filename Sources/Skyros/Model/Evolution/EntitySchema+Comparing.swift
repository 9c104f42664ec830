// What the log has recorded of an entity, compared with what its type declares.

extension EntitySchema {
    /// Why a type may not use records of this schema; nil if it may.
    ///
    /// A released version never changes, so the steps to all versions that both know are the same.
    /// An older type may use records past steps that only add fields: it keeps those as unknown.
    func refusal(of evolver: Evolver?) -> String? {
        let known = evolver?.version ?? Evolver.firstVersion
        let declared = evolver?.versions ?? []
        for (number, steps) in recordedVersions where number <= known {
            let now = declared.first { $0.number == number }?.steps.map(\.value)
            guard let now, now == steps else {
                return "the steps to version \(number) of its shape are not those with which the "
                    + "store was written: \(Self.text(steps)). A released version never changes: "
                    + "restore them, and declare another version after them"
            }
        }
        guard known < version else {
            let isRecorded = recordedVersions.map(\.number)
            let more = declared.map(\.number).filter { $0 <= version && !isRecorded.contains($0) }
            return more.first.map {
                "version \($0) of its shape was declared after version \(version) had been "
                    + "written. Declare it as version \(version + 1)"
            }
        }
        for (number, steps) in recordedVersions where number > known {
            guard steps.allSatisfy(Self.onlyAdds) else {
                return "the store was written by a newer version of the app, with version "
                    + "\(version) of its shape; this one knows version \(known). It cannot read "
                    + "records past a step that does more than add fields: \(Self.text(steps)). "
                    + "Use the newer version of the app"
            }
        }
        return nil
    }

    private static func onlyAdds(_ step: FieldValue) -> Bool {
        if case .add? = FieldStep(step) { true } else { false }
    }

    private static func text(_ steps: [FieldValue]) -> String {
        steps.map { FieldStep($0)?.description ?? $0.jsonText() }.joined(separator: ", ")
    }

    /// Whether this says what `other` says, apart from the fields, which are an example.
    func declaresSame(as other: EntitySchema) -> Bool {
        version == other.version && uniqueIndexes == other.uniqueIndexes
            && texts(of: Key.relations) == other.texts(of: Key.relations)
            && requiresReason == other.requiresReason
    }

    /// This schema, with the parts of an earlier one that this version does not know.
    func carryingUnknownParts(of earlier: EntitySchema) throws -> EntitySchema {
        var all = try parts.values
        for name in earlier.unknownParts where all[name] == nil {
            all[name] = earlier.parts[name]
        }
        return EntitySchema(try Fields(all)) ?? self
    }

    /// The names of the parts that this version does not know.
    package var unknownParts: [String] {
        let known = [Key.version, Key.steps, Key.fields, Key.unique, Key.relations]
        return parts.names.filter { name in
            if name.isSameName(as: Key.reasons), parts[name] == true { return false }
            return !known.containsName(name)
        }
    }
}

extension Store.Options {
    /// What opening does with references to records that do not exist: they existed before their
    /// relation was declared.
    public enum ExistingBrokenReferences: Hashable, Sendable {
        /// It throws `StoreError` with `.brokenReference`, which names them.
        case refuse
        /// It lists them in the recovery report. They stay as they are until a write changes them.
        case report
        /// It does not look for them, so that opening takes no time for relations.
        case ignore
    }
}

extension StoreOpening {
    /// Finds the references to records that do not exist, unless the app ignores them.
    ///
    /// - Throws: `StoreError` with `.brokenReference` if there are any, unless the app wants a
    ///   report.
    func brokenReferences(of snapshot: Snapshot) throws -> [RecordReference] {
        guard options.existingBrokenReferences != .ignore else { return [] }
        let found = try snapshot.findBrokenReferences()
        guard options.existingBrokenReferences == .refuse, let first = found.first else {
            return found
        }
        throw StoreError(
            .brokenReference,
            "\(found.count) references lead to records that do not exist, though the relations of "
                + "their entities say that they do: \(found.listed()). Open the store without "
                + "these relations, or with Options.existingBrokenReferences set to .report, and "
                + "change the records",
            at: StoreError.Place(
                entity: first.entity, ids: found.map(\.id).withoutRepetitions(),
                field: first.field, references: found))
    }
}

extension Store {
    /// The relations of the types that the store was opened with, in the order of the types and of
    /// their declarations.
    public var relations: [RelationDescription] { resources.schema.relations }
}

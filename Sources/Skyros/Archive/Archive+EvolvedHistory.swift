import SkyrosLog

extension Archive {
    /// The entries of a record's history in one shape: the newest that the recorded steps reach
    /// without the app's types. If not all of them reach it, because a step fails or some were
    /// stored after a closure, they stay as they were stored.
    ///
    /// - Complexity: O(entries), and O(events that record shapes); O(events in the log) if the
    ///   index of the history is damaged.
    /// - Returns: the entries, and how many of them show an older shape than the newest one.
    /// - Throws: `StoreError` with `.logCorrupt` and the like if the log is damaged.
    package func evolved(
        _ entries: [HistoryEntry], of entity: String
    ) throws -> (entries: [HistoryEntry], heldBackCount: Int) {
        guard let schema = try recordedSchemas()[entity], schema.version > Evolver.firstVersion
        else { return (entries, 0) }
        let evolver = schema.declarative
        let rows = entries.flatMap { [$0.rowBefore, $0.rowAfter] }.compactMap(\.self)
        let haveOneShape = rows.allSatisfy { $0.version <= evolver.version }
        let evolved = haveOneShape ? try? entries.evolved { try $0.evolved(by: evolver) } : nil
        let shown = evolved ?? entries
        let heldBackCount = shown.count { entry in
            [entry.rowBefore, entry.rowAfter].contains { $0?.version ?? .max < schema.version }
        }
        return (shown, heldBackCount)
    }

    /// What the log has recorded last of the entities' shapes.
    private func recordedSchemas() throws -> NamedValues<EntitySchema> {
        if let historyIndex {
            return try historyReader.schemas(asOf: sequence, in: historyIndex)
        }
        var schemas = try log.floor.map { try FloorState($0).schemas } ?? NamedValues()
        try EventReader(log).forEach(from: firstSequence, through: sequence) { event, _ in
            event.schemas.forEach { schemas[$0.key] = $0.value }
            return true
        }
        return schemas
    }
}

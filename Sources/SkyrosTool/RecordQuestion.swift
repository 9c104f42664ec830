import Skyros

/// A question about one record of a store, which an entity and an id name on the command line.
struct RecordQuestion {
    private let arguments: Arguments

    /// - Throws: `UsageError` if entity or id is missing.
    init(_ arguments: Arguments, for command: String) throws {
        guard arguments.rest.count == 2 else {
            throw UsageError("\(command) needs an entity and an id")
        }
        self.arguments = arguments
    }

    /// Finds the record in the newest log, and asks for it.
    ///
    /// - Parameter ask: gets the archive, the entity, the id, and what to call after each event.
    /// - Throws: `StoreError` with `.notFound` if there never was such a record.
    func answer<R>(
        _ ask: (Archive, String, RecordID, (SequenceNumber) -> Void) throws -> R
    ) throws -> R? {
        let archive = try Archive(at: arguments.store)
        archive.warnOfLostEvents()
        let bar = ProgressBar(ProgressBar.Step(.searching, 0.5), ProgressBar.Step(.reading, 0.5))
        defer { bar.finish() }
        let (entity, word) = (arguments.rest[0], arguments.rest[1])
        let total = archive.sequence.rawValue
        let id = try RecordFinder(word).id(of: entity, in: archive) {
            bar.update(.searching, $0.rawValue, of: total)
        }
        guard let id else {
            try archive.require(entity)
            try archive.throwUnknown(word, of: entity)
            return nil
        }
        return try ask(archive, entity, id) { bar.update(.reading, $0.rawValue, of: total) }
    }
}

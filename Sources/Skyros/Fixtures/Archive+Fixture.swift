public import Foundation
package import SkyrosDisk
import SkyrosLog

extension Archive {
    /// Writes a new store with the events of this one, for a test or a report, without the values
    /// of scrubbed fields.
    ///
    ///     let report = try archive.writeFixture(
    ///         into: directory, keeping: 1_000, scrubbing: Scrubbing("Customer.name"))
    ///
    /// Events keep their times, metadata, commands and changes, and have numbers from 1 on. Where
    /// these are others than in this store, the tag `skyros.event` has the original one. What the
    /// records were before the first of them comes first, as events by the actor `skyros.fixture`
    /// that insert them. An undo names the events that it took back by their original numbers. The
    /// store has another id, so it cannot be mistaken for this one. It appears complete and
    /// durable, or not at all.
    ///
    /// - Parameters:
    ///   - directory: the new store: nothing, or an empty directory, and not in this store.
    ///   - count: the number of events to keep; nil for all that the log keeps.
    ///   - last: the last of them; nil for that of the log.
    ///   - scrubbing: the fields whose values get pseudonyms.
    ///   - progress: called after each event that is read.
    /// - Complexity: O(events of the log); reading it once more if fields are scrubbed, and memory
    ///   for their different values.
    /// - Throws: `StoreError` with `.noSuchEvent` if the log ends before `last`; `.invalidInput` if
    ///   the directory is not empty, no record ever had a value of a scrubbed field, the text of
    ///   one would still be in the fixture, or a step of an evolution could not read a pseudonym;
    ///   `.diskFull`, `.io`; for a damaged log `.logCorrupt` and the like.
    @discardableResult
    public func writeFixture(
        into directory: URL, keeping count: Int? = nil, through last: SequenceNumber? = nil,
        scrubbing: Scrubbing = .none, progress: (StoreProgress) -> Void = { _ in }
    ) throws -> FixtureReport {
        try writeFixture(
            into: directory, keeping: count, through: last, scrubbing: scrubbing, mentioning: [],
            progress: progress)
    }

    /// The same, for a fixture beside which texts are shown. They must not have values of scrubbed
    /// fields either.
    func writeFixture(
        into directory: URL, keeping count: Int?, through last: SequenceNumber? = nil,
        scrubbing: Scrubbing, mentioning texts: [String], progress: (StoreProgress) -> Void
    ) throws -> FixtureReport {
        try Self.withNewDirectory(directory, outside: disk) { target in
            try writeFixture(
                onto: target, keeping: count, through: last, scrubbing: scrubbing,
                mentioning: texts, progress: progress)
        }
    }

    /// The same, onto a disk that must be empty.
    package func writeFixture(
        onto target: Environment, keeping count: Int? = nil, through last: SequenceNumber? = nil,
        scrubbing: Scrubbing = .none, mentioning texts: [String] = [],
        progress: (StoreProgress) -> Void = { _ in }
    ) throws -> FixtureReport {
        let before = firstSequence.advanced(by: -1)
        let (_, last) = try range(after: nil, through: last)
        let kept = max(0, min(count ?? .max, before.distance(to: last)))
        let first = last.advanced(by: -kept)
        let state = try state(after: first, from: empty)
        return try writeFixture(
            onto: target, of: state, scrubbing, mentioning: texts, progress
        ) { write in
            try EventReader(log).forEach(from: first.next, through: last) { event, _ in
                try write(event)
                progress(StoreProgress(.writing, event.sequence, of: last))
                return true
            }
        }
    }

    /// Writes a fixture of records and of the events after them.
    ///
    /// - Parameters:
    ///   - isTyped: whether the states that are checked have the types of the archive.
    ///   - texts: what is shown beside it, and must not have values of scrubbed fields.
    ///   - check: called with the states before and after the events.
    ///   - forEachEvent: calls its argument with each event.
    func writeFixture(
        onto target: Environment, of records: Snapshot, _ scrubbing: Scrubbing,
        typed isTyped: Bool = false, mentioning texts: [String] = [],
        _ progress: (StoreProgress) -> Void,
        checking check: (Snapshot, Snapshot) throws -> Void = { _, _ in },
        _ forEachEvent: (_ write: (Event) throws -> Void) throws -> Void
    ) throws -> FixtureReport {
        let tables = scrubbing == .none ? [] : try tables()
        let scrubber = try scrubber(scrubbing, tables, progress)
        let words = tables.flatMap { [$0.entity] + $0.columns.map(\.field) }.map { Array($0.utf8) }
        for text in texts {
            guard let original = scrubber.original(inText: text, except: words) else { continue }
            throw StoreError(
                .invalidInput,
                "the text \"\(text)\" beside the fixture has the value \"\(original)\" of a "
                    + "scrubbed field; nothing was written. Leave the value out of the query, the "
                    + "note or the name that has it")
        }
        let first = records.sequence
        let storeID = StoreID(from: target.entropy)
        let empty = Snapshot(
            isTyped ? schema : .untyped, beginning: ChainHash(beginning: storeID), hashSeed: 0)
        var events = FixtureEvents(scrubber, replacing: first, on: empty, words: words)
        let salvage = try Self.withNewLog(of: storeID, on: target, LogOptions(), progress) {
            writer in
            try events.write(recordsOf: records, to: writer)
            let before = events.state
            try forEachEvent { try events.write($0, to: writer) }
            try check(before, events.state)
            return try events.report(of: writer)
        }
        return FixtureReport(
            sequence: salvage.sequence, firstOriginalEvent: first.next, digest: salvage.digest,
            pseudonymCount: scrubber.pseudonyms.count)
    }

    /// Reads the whole log: a value may stand in an event long before or after that of its record.
    private func scrubber(
        _ scrubbing: Scrubbing, _ tables: [TableSchema], _ progress: (StoreProgress) -> Void
    ) throws -> EventScrubber {
        let schemas = try schemas(tables)
        var scrubber = EventScrubber(scrubbing, schemas)
        guard scrubbing != .none else { return scrubber }
        let last = sequence
        let beginning = try historyReader.beginning()
        for entity in beginning.entities {
            try beginning.forEachRecord(entity) { try scrubber.note($0) }
        }
        try EventReader(log).forEach(from: firstSequence, through: last) { event, _ in
            try scrubber.note(event)
            progress(StoreProgress(.reading, event.sequence, of: last))
            return true
        }
        for field in scrubbing.fields
        where scrubber.found.isDisjoint(with: Scrubbing.names(of: field, schemas)) {
            throw Self.missing(field, tables)
        }
        scrubber.makePseudonyms()
        return scrubber
    }

    /// What the log records of the shapes of entities, or what their types say if these are newer.
    private func schemas(_ tables: [TableSchema]) throws -> NamedValues<EntitySchema> {
        var schemas = NamedValues(
            tables.compactMap { table in table.schema.map { (table.entity, $0) } })
        for entity in schema.entities {
            let known = schemas[entity.name]?.version ?? Evolver.firstVersion
            guard let evolver = entity.evolver, evolver.version > known else { continue }
            schemas[entity.name] = try EntitySchema(
                evolver, fields: NamedValues(), unique: [], relations: [])
        }
        return schemas
    }

    /// The error for a field that never had a value: a misspelled name would scrub nothing.
    private static func missing(_ field: Scrubbing.Field, _ tables: [TableSchema]) -> StoreError {
        let table = tables.first { $0.entity.isSameName(as: field.entity) }
        let names = table?.columns.map(\.field) ?? []
        let known =
            if table == nil {
                "; the entities are \(tables.map(\.entity).joined(separator: ", "))"
            } else if !names.containsName(field.path[0]) {
                "; the fields of \(field.entity) are \(names.joined(separator: ", "))"
            } else {
                ""
            }
        return StoreError(
            .invalidInput, "no record ever had a value of the field \(field)\(known)",
            at: StoreError.Place(entity: field.entity))
    }
}

/// What a fixture holds.
///
///     print("\(report.sequence) events, \(report.pseudonymCount) values replaced")
public struct FixtureReport: Hashable, Sendable {
    /// The number of its last event.
    public let sequence: SequenceNumber
    /// The number that the first of its events had in the original store; of what was before, it
    /// has the records only.
    public let firstOriginalEvent: SequenceNumber
    /// The digest of its last state.
    public let digest: StateDigest
    /// The number of different values that were replaced.
    public let pseudonymCount: Int
}

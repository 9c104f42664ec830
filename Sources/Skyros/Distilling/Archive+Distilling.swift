public import Foundation
package import SkyrosDisk
import SkyrosLog

extension Archive {
    /// Writes a new store with few records and one event, which breaks a condition there as it does
    /// in this store: the smallest history that was found. It is for a test.
    ///
    ///     let archive = try Archive(at: url, entities: [Account.self])
    ///     func isSolvent(_ state: Snapshot) throws -> Bool {
    ///         try state.first(Account.self, where: \.cents < 0) == nil
    ///     }
    ///     if let event = try archive.bisect(isSolvent).event {
    ///         try archive.distill(
    ///             event.sequence, into: fixture, executing: [Transfer.self],
    ///             scrubbing: Scrubbing("Account.owner"), isSolvent)
    ///     }
    ///
    /// The records are in an event by the actor `skyros.fixture` before the one in question, with
    /// pseudonyms in scrubbed fields, as `writeFixture` makes them. The store has another id.
    ///
    /// With the types of commands, today's code must break the condition as well, when it executes
    /// the command of the event on the few records. Without them the records are kept that the
    /// command names by their ids, and those that the changed records name, as it may read them.
    ///
    /// - Parameters:
    ///   - sequence: the event: the condition holds before it, and not after it.
    ///   - directory: the new store: nothing, or an empty directory, and not in this store.
    ///   - commands: the types of the commands that are executed again.
    ///   - entities: the names of entities of which all records are kept.
    ///   - scrubbing: the fields whose values get pseudonyms.
    ///   - progress: called now and then.
    ///   - holds: the condition. If it throws for some of the records, these do not show the
    ///     problem.
    /// - Complexity: O(events) to make the state, and about 2 · k · log n calls of `holds` for k
    ///   records that are needed of n that are looked at: those that have to do with the event, or
    ///   all if the condition does not break with these.
    /// - Throws: `StoreError` with `.noSuchEvent`, `.belowFloor`; `.invalidInput` if the condition
    ///   does not break with the event, or not in the fixture, as when it is about values that are
    ///   scrubbed; as `writeFixture(into:keeping:through:scrubbing:progress:)`; what `holds` throws
    ///   for the whole states.
    @discardableResult
    public func distill(
        _ sequence: SequenceNumber, into directory: URL,
        executing commands: [any Command.Type] = [], keeping entities: [String] = [],
        scrubbing: Scrubbing = .none, progress: (StoreProgress) -> Void = { _ in },
        _ holds: @escaping (Snapshot) throws -> Bool
    ) throws -> DistilledHistory {
        try distill(
            sequence, into: directory, executing: commands, keeping: entities,
            scrubbing: scrubbing, mentioning: [], progress: progress, holds)
    }

    /// The same, for a fixture beside which texts are shown. They must not have values of scrubbed
    /// fields either.
    package func distill(
        _ sequence: SequenceNumber, into directory: URL,
        executing commands: [any Command.Type] = [], keeping entities: [String] = [],
        scrubbing: Scrubbing = .none, mentioning texts: [String],
        progress: (StoreProgress) -> Void = { _ in },
        _ holds: @escaping (Snapshot) throws -> Bool
    ) throws -> DistilledHistory {
        try Self.withNewDirectory(directory, outside: disk) { target in
            try distill(
                sequence, onto: target, executing: commands, keeping: entities,
                scrubbing: scrubbing, mentioning: texts, progress: progress, holds)
        }
    }

    /// The same, onto a disk that must be empty.
    package func distill(
        _ sequence: SequenceNumber, onto target: Environment,
        executing commands: [any Command.Type] = [], keeping entities: [String] = [],
        scrubbing: Scrubbing = .none, mentioning texts: [String] = [],
        progress: (StoreProgress) -> Void = { _ in },
        _ holds: @escaping (Snapshot) throws -> Bool
    ) throws -> DistilledHistory {
        guard sequence > .zero else { throw HistoryReader.missing(sequence, last: self.sequence) }
        try historyReader.requireEvent(sequence)
        let before = try state(after: sequence.advanced(by: -1), from: empty)
        guard let event = try event(sequence) else {
            throw HistoryReader.missing(sequence, last: self.sequence)
        }
        let breaking = BreakingTest(self, commands, holds)
        try breaking.requireBreak(.init(before: before, event: event))
        var shrinking = try RecordShrinking(
            event, on: before, empty: empty, keeping: entities, keepsNamed: commands.isEmpty
        ) { try breaking.breaks($0) }
        let found = try shrinking.run()
        let fixture = try writeFixture(
            onto: target, of: found.before, scrubbing, typed: true, mentioning: texts, progress,
            checking: { try breaking.requireBreakInFixture(before: $0, after: $1) }
        ) { try $0(found.event) }
        return DistilledHistory(
            event: event, recordCount: found.before.recordCount,
            originalRecordCount: before.recordCount, candidateCount: shrinking.candidateCount,
            fixture: fixture)
    }
}

/// What a distilled history holds.
///
///     print("\(history.recordCount) of \(history.originalRecordCount) records")
public struct DistilledHistory: Hashable, Sendable {
    /// The event that breaks the condition, as it is in the original store. In the fixture it is
    /// the last one.
    public let event: Event
    /// The number of records that the fixture has before it.
    public let recordCount: Int
    /// The number of records that the store had before it.
    public let originalRecordCount: Int
    /// The number of histories that were tried.
    public let candidateCount: Int
    /// The fixture.
    public let fixture: FixtureReport
}

/// Whether an event breaks a condition, as a fact and, with command types, with today's code.
private struct BreakingTest {
    private let archive: Archive
    private let commands: [any Command.Type]
    private let holds: (Snapshot) throws -> Bool

    init(
        _ archive: Archive, _ commands: [any Command.Type],
        _ holds: @escaping (Snapshot) throws -> Bool
    ) {
        self.archive = archive
        self.commands = commands
        self.holds = holds
    }

    func breaks(_ history: RecordShrinking.History) throws -> Bool {
        guard try holds(history.before), try !holds(stateAfter(history)) else { return false }
        return try commands.isEmpty || !holds(stateToday(history))
    }

    /// Throws if the condition does not break in the original.
    func requireBreak(_ history: RecordShrinking.History) throws {
        let sequence = history.event.sequence
        func refuse(_ message: String) -> StoreError {
            StoreError(.invalidInput, message, at: StoreError.Place(sequences: sequence...sequence))
        }
        guard try holds(history.before) else {
            throw refuse(
                "the condition does not hold before event \(sequence): find the event that broke "
                    + "it, as with Archive.bisect")
        }
        guard try !holds(stateAfter(history)) else {
            throw refuse("the condition holds after event \(sequence), which does not break it")
        }
        guard try commands.isEmpty || !holds(stateToday(history)) else {
            throw refuse(
                "today's code does not break the condition when it executes the command of event "
                    + "\(sequence) again; leave out the types of commands to keep the history")
        }
    }

    func requireBreakInFixture(before: Snapshot, after: Snapshot) throws {
        guard try !holds(before) || holds(after) else { return }
        throw StoreError(
            .invalidInput,
            "the condition does not break with the pseudonyms of scrubbed fields; nothing was "
                + "written. Scrub other fields, or ask for what does not depend on their values")
    }

    private func stateAfter(_ history: RecordShrinking.History) throws -> Snapshot {
        var state = history.before
        var unused = DirtyRows(isRecording: false)
        try Projector.apply(
            history.event, chainHash: state.chainHash.advanced(by: 0), to: &state,
            marking: &unused)
        return state
    }

    private func stateToday(_ history: RecordShrinking.History) throws -> Snapshot {
        var run = try WhatIfRun(
            WhatIf(in: archive, commands: commands), from: history.before, empty: archive.empty)
        try run.pass(history.event, chainHash: history.before.chainHash.advanced(by: 0))
        return try run.finish().state
    }
}

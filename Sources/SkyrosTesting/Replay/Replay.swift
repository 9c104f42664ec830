public import Foundation
public import Skyros

/// A test that replays the log of a store with today's types and checks conditions on the way.
///
///     @Test func `yesterday's orders are still valid`() throws {
///         try Replay(of: url, entities: Order.self, Restaurant.self)
///             .checking("no order has a negative total") { _, event in
///                 try event.changes(of: Order.self).allSatisfy { change in
///                     try change.after.map { $0.totalCents >= 0 } ?? true
///                 }
///             }
///             .expecting(digest: "7b1c1f98ab7b94ad85fb29c5346fa608")
///             .run()
///     }
///
/// `run()` throws a `ReplayFailure`, which fails a test in Swift Testing and in XCTest. It names
/// the first event that breaks a condition, with its number, actor, reason, tags and changes. The
/// store is only read.
///
/// A condition that reads all records takes longer the more there are. One that reads what the
/// event changed, or asks an index, takes about the same time after every event.
public struct Replay: Sendable {
    private struct Invariant: Sendable {
        let name: String
        let holds: @Sendable (Snapshot, AppliedEvent) throws -> Bool
    }

    private struct Expectation: Sendable {
        let name: String
        let holds: @Sendable (Snapshot) throws -> Bool
    }

    private let open: @Sendable () throws -> Archive
    private var invariants: [Invariant] = []
    private var expectations: [Expectation] = []
    private var commands: [any Command.Type] = []
    private var digest: String?
    private var first: SequenceNumber?
    private var last: SequenceNumber?
    private var ignoresUnknownEntities = false
    private var violationsMax = 1

    /// Creates a replay of the store at `url` with today's types of its entities.
    public init(of url: URL, entities: any Entity.Type...) {
        open = { try Archive(at: url, entities: entities) }
    }

    /// Creates a replay of an open store, also one in memory, with the types that it was opened
    /// with. `run()` replays the events that it has then.
    public init(of store: Store) {
        open = { try store.archive() }
    }

    /// Creates a replay of the store on a simulated disk, with today's types of its entities.
    public init(of disk: SimulatedDisk, entities: any Entity.Type...) {
        open = { try Archive(on: disk, entities: entities) }
    }

    init(of archive: Archive) {
        open = { archive }
    }

    /// Also checks a condition after every event.
    ///
    /// - Parameters:
    ///   - name: describes the condition in the message of a failure.
    ///   - holds: receives the state after the event, and the event with the records that it
    ///     changed and the state before it.
    public func checking(
        _ name: String, _ holds: @escaping @Sendable (Snapshot, AppliedEvent) throws -> Bool
    ) -> Replay {
        copy { $0.invariants.append(Invariant(name: name, holds: holds)) }
    }

    /// Also checks a condition on the state after the last event. If it does not hold, the event
    /// that broke it is found by binary search, with at most ⌈log₂(n + 2)⌉ further calls for n
    /// events: as `Archive.bisect(after:through:progress:_:)`.
    ///
    ///     .expecting("all accounts together have what was paid in") { state in
    ///         try state.sum(Account.self, of: \.cents) == state.sum(Deposit.self, of: \.cents)
    ///     }
    ///
    /// - Parameters:
    ///   - name: describes the condition in the message of a failure.
    ///   - holds: receives the state.
    public func expecting(
        _ name: String, _ holds: @escaping @Sendable (Snapshot) throws -> Bool
    ) -> Replay {
        copy { $0.expectations.append(Expectation(name: name, holds: holds)) }
    }

    /// Also executes the recorded commands of these types again, with today's code, each on the
    /// state before its event. One that does something else than it did is a violation: as
    /// `Archive.reexecute(_:after:through:differencesMax:progress:)`. It takes a second pass over
    /// the events, and a third one to the last violation.
    public func executing(_ commands: any Command.Type...) -> Replay {
        copy { $0.commands += commands }
    }

    /// Also compares the digest of the state after the last event with a recorded one.
    public func expecting(digest: String) -> Replay {
        copy { $0.digest = digest }
    }

    /// Checks only what follows this event. The state after it comes from the store's checkpoint
    /// if that is not later, and from the log. `run()` throws `StoreError` with `.noSuchEvent` if
    /// the log ends before it.
    public func starting(after first: SequenceNumber) -> Replay {
        copy { $0.first = first }
    }

    /// Ends with this event instead of the last one of the log. `run()` throws `StoreError` with
    /// `.noSuchEvent` if the log ends before it.
    public func through(_ last: SequenceNumber) -> Replay {
        copy { $0.last = last }
    }

    /// Continues after an event that fails a check, and ends with the event after which there are
    /// `count` violations. The failure lists them all.
    ///
    /// A condition on what an event changed fails for each event that breaks it; one on the whole
    /// state fails again after every event until it holds.
    ///
    /// - Parameter count: at least 1, which is what a replay does without this call.
    public func collectingViolations(upTo count: Int = 100) -> Replay {
        copy { $0.violationsMax = max(1, count) }
    }

    /// Skips records of entities for which no type was given, instead of failing.
    public func ignoringUnknownEntities() -> Replay {
        copy { $0.ignoresUnknownEntities = true }
    }

    private func copy(_ change: (inout Replay) -> Void) -> Replay {
        var copy = self
        change(&copy)
        return copy
    }

    /// Replays the log. After every event it checks that each record that the event changed still
    /// decodes as its type, and that all conditions hold; then the commands, and at last what is
    /// expected of the last state.
    ///
    /// - Returns: the final state and its digest.
    /// - Throws: `ReplayFailure` if a check fails; `StoreError` if the log cannot be read, ends
    ///   before an event that was given, or `through` is before `starting(after:)`.
    @discardableResult
    public func run() throws -> ReplayResult {
        let archive = try open()
        let end = last ?? archive.sequence
        var violations: [ReplayFailure.Violation] = []
        var state: Snapshot?
        try archive.replay(after: first, through: end) { event, snapshot in
            violations += problems(event, snapshot).map { .init(problem: $0, event: event) }
            // Keep only the last state: while a state is kept, the next event must copy it.
            if event.sequence == end { state = snapshot }
            return violations.count < violationsMax
        }
        if violations.count >= violationsMax {
            throw ReplayFailure(violations, isComplete: violations.last?.event?.sequence == end)
        }
        let differences = try differences(in: archive, through: end)
        violations += differences.prefix(violationsMax - violations.count)
        if violations.count >= violationsMax {
            throw ReplayFailure(violations, isComplete: false)
        }
        let final = try state ?? archive.snapshot(asOf: .sequence(end))
        for expectation in expectations {
            try check(expectation, on: final, in: archive).map { violations.append($0) }
        }
        let found = try final.digest().description
        if let digest, digest != found {
            violations.append(.init(wrongDigest: found, expected: digest, at: final.sequence))
        }
        if !violations.isEmpty { throw ReplayFailure(violations, isComplete: true) }
        return ReplayResult(sequence: final.sequence, digest: found, state: final)
    }

    /// The commands that do something else today.
    private func differences(
        in archive: Archive, through end: SequenceNumber
    ) throws -> [ReplayFailure.Violation] {
        guard !commands.isEmpty else { return [] }
        let found = try archive.reexecute(
            commands, after: first, through: end, differencesMax: violationsMax)
        guard let start = found.differences.first?.event.sequence,
            let last = found.differences.last?.event.sequence
        else { return [] }
        var differences = found.differences[...]
        var violations: [ReplayFailure.Violation] = []
        try archive.replay(after: start.advanced(by: -1), through: last) { event, _ in
            guard let difference = differences.first, difference.event.sequence == event.sequence
            else { return true }
            differences.removeFirst()
            violations.append(.init(problem: Self.problem(difference), event: event))
            return true
        }
        return violations
    }

    private static func problem(_ difference: Reexecution.Difference) -> String {
        let name = difference.event.intent?.name ?? "-"
        return "the command \(name) does something else today:\n"
            + difference.effects.joined(separator: "\n")
    }

    /// The violation if a condition does not hold in the last state.
    private func check(
        _ expectation: Expectation, on final: Snapshot, in archive: Archive
    ) throws -> ReplayFailure.Violation? {
        func holds(_ state: Snapshot) throws -> Bool { try expectation.holds(state) }
        do {
            if try holds(final) { return nil }
        } catch {
            return .init(problem: "checking \"\(expectation.name)\" failed: \(error)", event: nil)
        }
        let found = try archive.bisect(after: first, through: final.sequence, holds)
        let problem = "\"\(expectation.name)\" does not hold"
        switch found.finding {
        case .event(let event): return .init(problem: problem, event: event)
        case .brokenAlready(let sequence):
            return .init(problem: "\(problem) after event \(sequence) already", event: nil)
        case .holds:
            return .init(
                problem: "\(problem) after the last event, and held when it was asked again",
                event: nil)
        }
    }

    /// The checks that the event fails, in words.
    private func problems(_ event: AppliedEvent, _ state: Snapshot) -> [String] {
        if !ignoresUnknownEntities, let problem = unknownEntity(in: event) { return [problem] }
        if let (change, error) = event.firstMisfit() {
            let id = change.id?.description ?? ""
            return ["\(change.entity) \(id) does not decode any more: \(error)"]
        }
        var problems: [String] = []
        for invariant in invariants {
            do {
                if try invariant.holds(state, event) { continue }
                problems.append("\"\(invariant.name)\" does not hold")
            } catch {
                problems.append("checking \"\(invariant.name)\" failed: \(error)")
            }
        }
        return problems
    }

    private func unknownEntity(in event: AppliedEvent) -> String? {
        event.firstUntypedEntity().map {
            "no type was given for the entity \($0): add it to entities:, or call "
                + "ignoringUnknownEntities()"
        }
    }
}

/// The result of a replay.
public struct ReplayResult: Sendable {
    /// The last event.
    public let sequence: SequenceNumber
    /// The digest of the state after the last event, for `Replay.expecting(digest:)`.
    public let digest: String
    /// The state after the last event.
    public let state: Snapshot
}

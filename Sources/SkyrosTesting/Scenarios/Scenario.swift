public import Foundation
public import Skyros
import SkyrosDisk

/// A test of commands: given a state, when a command is performed, then this has happened.
///
///     @Test func `an account cannot be overdrawn`() throws {
///         try Scenario(Account.self)
///             .given(OpenAccount(id: 1, cents: 100), OpenAccount(id: 2, cents: 0))
///             .when(Transfer(from: 1, to: 2, cents: 500), by: "ada")
///             .thenIsRefused(with: TransferError.overdrawn)
///             .when(Transfer(from: 1, to: 2, cents: 40))
///             .then(returns: Balance(cents: 60))
///             .then("the money has arrived") { state in
///                 try state.get(Account.self, 2)?.cents == 40
///             }
///     }
///
/// The store is on a simulated disk. After each step it is closed and opened again, and its log is
/// replayed from the first event: all three states must have the same digest. A command must do the
/// same when it is executed again, so one that uses `Date()` or randomness fails. What does
/// not hold is thrown as a ``ScenarioFailure``, which fails a test in Swift Testing and in XCTest.
///
/// Use it from one thread.
public final class Scenario {
    private let entities: [any Entity.Type]
    private let options: Store.Options
    private let environment: Environment
    private let clock: ManualClock
    private var store: Store

    /// Creates a scenario with an empty store.
    ///
    /// - Parameters:
    ///   - entities: the types that the commands use.
    ///   - options: the options of the store.
    ///   - start: the time at the beginning; it passes by ``after(_:)`` only.
    /// - Throws: `StoreError`, with `.invalidSchema` if the types cannot be stored.
    public init(
        _ entities: any Entity.Type..., options: Store.Options = Store.Options(),
        startingAt start: Date = Date(timeIntervalSince1970: 1_700_000_000)
    ) throws {
        self.entities = entities
        var options = options
        // Its calls would come at other moments in each run.
        options.scrubInterval = nil
        self.options = options
        clock = ManualClock(microseconds: EventTime(start).microseconds)
        environment = Environment(
            disk: SimulatedDisk(), clock: clock, entropy: SeededEntropy(seed: 1))
        store = try Store(Schema(entities), options, environment)
    }

    // MARK: Given

    /// Runs a write block that the scenario begins with.
    @discardableResult
    public func given(
        by actor: String? = nil, _ block: (inout WriteTransaction) throws -> Void
    ) throws -> Scenario {
        try store.write(by: actor, block)
        try check(after: "the given block")
        return self
    }

    /// Performs commands that the scenario begins with.
    @discardableResult
    public func given(_ commands: any Command...) throws -> Scenario { try given(commands) }

    func given(_ commands: [any Command]) throws -> Scenario {
        for command in commands { try perform(command) }
        return self
    }

    private func perform(_ command: some Command) throws {
        let before = store.sequence
        try store.perform(command)
        try check(command, performedAfter: before)
    }

    /// Lets time pass.
    @discardableResult
    public func after(_ duration: Duration) -> Scenario {
        let (seconds, attoseconds) = duration.components
        clock.advance(
            byMicroseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        return self
    }

    // MARK: When

    /// Performs the command that the scenario is about. What it throws is not thrown here: see
    /// ``Decision/thenIsRefused(with:)``.
    ///
    /// - Throws: ``ScenarioFailure`` if the store differs after it was opened again, or the command
    ///   does something else when it is executed again.
    @discardableResult
    public func when<C: Command>(
        _ command: C, by actor: String? = nil, because reason: String? = nil,
        metadata: Metadata = Metadata()
    ) throws -> Decision<C> {
        let before = store.snapshot
        let outcome: Result<(output: C.Output, receipt: Receipt), any Error> = Result {
            try store.performWithReceipt(
                command, by: actor, because: reason, metadata: metadata)
        }
        try check(command, performedAfter: before.sequence)
        var event: Event?
        if case .success((_, let receipt)) = outcome, !receipt.isRepeated {
            event = try receipt.sequence.flatMap { try store.event($0) }
        }
        return Decision(
            of: command, outcome.map(\.output), in: self, from: before, to: store.snapshot, event)
    }

    // MARK: Checks

    private func check(_ command: some Command, performedAfter before: SequenceNumber) throws {
        let name = "\(type(of: command))"
        try check(after: name)
        let archive = try Archive(on: environment, entities: entities)
        let found = try archive.reexecute([type(of: command)], after: before)
        guard let difference = found.differences.first else { return }
        throw ScenarioFailure(
            "\(name) does something else when it is executed again with the same time and ids: it "
                + "uses a clock, randomness or another input that is not recorded. Take the "
                + "time from tx.now and ids from tx.newID()\n\(difference)")
    }

    /// Opens the store again, and compares its state and that of a replay with the one before.
    private func check(after step: String) throws {
        let digest = try store.snapshot.digest()
        try store.close()
        store = try Store(Schema(entities), options, environment)
        try compare(store.snapshot, with: digest, "after \(step) the store was opened again")
        let archive = try Archive(on: environment, entities: entities)
        try compare(archive.snapshot(), with: digest, "after \(step) the log was replayed")
        if let bad = try store.unreadableRecords().first {
            let record = "\(bad.record.entity) \(bad.record.id)"
            throw ScenarioFailure("after \(step) \(record) cannot be read: \(bad.error)")
        }
    }

    private func compare(_ state: Snapshot, with digest: StateDigest, _ event: String) throws {
        let found = try state.digest()
        guard found != digest else { return }
        throw ScenarioFailure("\(event), and has another state: \(found) instead of \(digest)")
    }
}

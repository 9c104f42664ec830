public import Foundation
public import Skyros

/// A test that replays the log of a store with today's types and checks conditions on the way.
///
///     @Test func `yesterday's orders are still valid`() throws {
///         try Replay(of: url, entities: Order.self, Restaurant.self)
///             .checking("no order has a negative total") { state, _ in
///                 try state.count(Order.self, where: \.totalCents < 0) == 0
///             }
///             .expecting(digest: "7b1c1f98ab7b94ad85fb29c5346fa608")
///             .run()
///     }
///
/// `run()` throws a `ReplayFailure`, which fails a test in Swift Testing and in XCTest. It names
/// the first event that breaks a condition, with its number, actor, reason and changes. The store
/// is only read.
public struct Replay: Sendable {
    private struct Invariant: Sendable {
        let name: String
        let holds: @Sendable (Snapshot, Event) throws -> Bool
    }

    private let url: URL
    private let entities: [any Entity.Type]
    private var invariants: [Invariant] = []
    private var digest: String?
    private var last: SequenceNumber?
    private var ignoresUnknownEntities = false

    /// Creates a replay of the store at `url` with today's types of its entities.
    public init(of url: URL, entities: any Entity.Type...) {
        self.url = url
        self.entities = entities
    }

    /// Also checks a condition after every event.
    ///
    /// - Parameters:
    ///   - name: describes the condition in the message of a failure.
    ///   - holds: receives the state after the event, and the event.
    public func checking(
        _ name: String, _ holds: @escaping @Sendable (Snapshot, Event) throws -> Bool
    ) -> Replay {
        var copy = self
        copy.invariants.append(Invariant(name: name, holds: holds))
        return copy
    }

    /// Also compares the digest of the final state with a recorded one.
    public func expecting(digest: String) -> Replay {
        var copy = self
        copy.digest = digest
        return copy
    }

    /// Ends with this event instead of the last one of the log. `run()` throws `StoreError` with
    /// `.noSuchEvent` if the log ends before it.
    public func through(_ last: SequenceNumber) -> Replay {
        var copy = self
        copy.last = last
        return copy
    }

    /// Skips records of entities for which no type was given, instead of failing.
    public func ignoringUnknownEntities() -> Replay {
        var copy = self
        copy.ignoresUnknownEntities = true
        return copy
    }

    /// Replays the log. After every event it checks that each record that the event changed still
    /// decodes as its type, and that all conditions hold.
    ///
    /// - Returns: the final state and its digest.
    /// - Throws: `ReplayFailure` for the first event that fails a check; `StoreError` if the log
    ///   cannot be read, or ends before the event given by `through`.
    @discardableResult
    public func run() throws -> ReplayResult {
        let archive = try Archive(at: url, entities: entities)
        let end = last ?? archive.sequence
        var state = try archive.snapshot(asOf: .sequence(.zero))
        try archive.replay(through: end) { event, snapshot in
            try check(event, snapshot)
            // Keep only the last state: while a state is kept, the next event must copy it.
            if event.sequence == end { state = snapshot }
            return true
        }
        let found = try state.digest().description
        if let digest, digest != found {
            throw ReplayFailure(
                "the digest of the final state is \(found), not \(digest)",
                at: try archive.event(state.sequence))
        }
        return ReplayResult(sequence: state.sequence, digest: found, state: state)
    }

    private func check(_ event: Event, _ state: Snapshot) throws {
        for change in event.changes { try check(change, of: event, state) }
        for invariant in invariants {
            do {
                if try invariant.holds(state, event) { continue }
            } catch {
                throw ReplayFailure("checking \"\(invariant.name)\" failed: \(error)", at: event)
            }
            throw ReplayFailure("\"\(invariant.name)\" does not hold", at: event)
        }
    }

    private func check(_ change: Change, of event: Event, _ state: Snapshot) throws {
        guard let type = entities.first(where: { $0.entityName.isSameName(as: change.entity) })
        else {
            if ignoresUnknownEntities { return }
            throw ReplayFailure(
                "no type was given for the entity \(change.entity): add it to entities:, or call "
                    + "ignoringUnknownEntities()", at: event)
        }
        guard let id = change.id else { return }
        do {
            try state.check(type, id)
        } catch {
            throw ReplayFailure(
                "\(change.entity) \(id) does not decode any more: \(error)", at: event)
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

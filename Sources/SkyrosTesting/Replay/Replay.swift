public import Foundation
public import Skyros

/// Replays a store's log against today's code, event after event, in a test.
///
///     @Test func `yesterday's orders are still valid`() throws {
///         try Replay(of: url, entities: Order.self, Restaurant.self)
///             .checking("no order is worth less than nothing") { state, _ in
///                 try state.count(Order.self, where: \.totalCents < 0) == 0
///             }
///             .expecting(digest: "7b1c1f98ab7b94ad85fb29c5346fa608")
///             .run()
///     }
///
/// A failure is a thrown `ReplayFailure`, which fails a test of Swift Testing and of XCTest alike
/// and names the first event that broke something: its number, its actor, its reason and its
/// changes. The store is only read.
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
    private var leavesUnknownAlone = false

    /// A replay of the store at `url` with today's types of its entities.
    public init(of url: URL, entities: any Entity.Type...) {
        self.url = url
        self.entities = entities
    }

    /// Also checks a condition after every event.
    ///
    /// - Parameters:
    ///   - name: what the condition says, for the failure's message.
    ///   - holds: gets the state after the event, and the event.
    public func checking(
        _ name: String, _ holds: @escaping @Sendable (Snapshot, Event) throws -> Bool
    ) -> Replay {
        var copy = self
        copy.invariants.append(Invariant(name: name, holds: holds))
        return copy
    }

    /// Also compares the digest of the last state with a recorded one.
    public func expecting(digest: String) -> Replay {
        var copy = self
        copy.digest = digest
        return copy
    }

    /// Ends with this event instead of the last one.
    public func through(_ last: SequenceNumber) -> Replay {
        var copy = self
        copy.last = last
        return copy
    }

    /// Leaves records of entities alone for which no type was given.
    public func ignoringUnknownEntities() -> Replay {
        var copy = self
        copy.leavesUnknownAlone = true
        return copy
    }

    /// Replays, and checks after every event that each record it touched still decodes as its
    /// type and that all conditions hold.
    ///
    /// - Returns: where it ended.
    /// - Throws: `ReplayFailure` at the first event that breaks something; `StoreError` if the
    ///   log cannot be read.
    @discardableResult
    public func run() throws -> ReplayResult {
        let archive = try Archive(at: url, entities: entities)
        let end = last ?? archive.sequence
        var state = try archive.snapshot(asOf: .sequence(.zero))
        try archive.replay(through: end) { event, snapshot in
            try check(event, snapshot)
            // Who keeps a state makes the next event copy what it changes.
            if event.sequence == end { state = snapshot }
            return true
        }
        let found = try state.digest().description
        if let digest, digest != found {
            throw ReplayFailure(
                "the state's digest is \(found), not \(digest)",
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
        guard let type = entities.first(where: { $0.entityName == change.entity }) else {
            if leavesUnknownAlone { return }
            throw ReplayFailure("no type was given for the entity \(change.entity)", at: event)
        }
        guard let id = change.id, let record = try state.record(change.entity, id) else { return }
        do {
            try Self.decode(record, as: type)
        } catch {
            throw ReplayFailure(
                "\(change.entity) \(id) does not decode any more: \(error)", at: event)
        }
    }

    private static func decode<E: Entity>(_ record: Record, as type: E.Type) throws {
        _ = try record.decode(as: type)
    }
}

/// Where a replay ended.
public struct ReplayResult: Sendable {
    /// The last event.
    public let sequence: SequenceNumber
    /// The digest of the state after it, to be recorded.
    public let digest: String
    /// The state after it.
    public let state: Snapshot
}

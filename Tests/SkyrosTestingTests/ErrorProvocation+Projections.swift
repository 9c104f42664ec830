import Dispatch
import SkyrosDisk
import SkyrosTesting

@testable import Skyros

private struct Leaf: Entity {
    var id: Int
}

/// Adds no event before it may.
private struct WaitingProjection: Projection {
    static let mayContinue = Monitor(false)
    mutating func apply(_ event: AppliedEvent) { Self.mayContinue.wait { $0 ? () : nil } }
}

private struct FailingProjection: Projection {
    struct Failure: Error {}
    mutating func apply(_ event: AppliedEvent) throws { throw Failure() }
}

extension ErrorProvocation {
    /// Asks for a projection or a subscription that the store does not have.
    static func askForUnknown(_ code: ErrorCode, in store: Store) throws {
        if code == .positionMissing { _ = try store.subscribe("new") { _ in } }
        _ = try store.projection(CrashTally.self)
    }

    /// Lets a projection or a subscription fail at an event.
    static func provokeByEvents(_ code: ErrorCode) throws {
        try code == .subscriptionFailed ? subscribeInVain() : askProjection(code)
    }

    /// Asks for a projection that is being built, or has failed.
    private static func askProjection(_ code: ErrorCode) throws {
        let disk = SimulatedDisk()
        func open(_ types: any Projection.Type...) throws -> Store {
            var options = Store.Options()
            options.projections = types
            return try Store(on: disk, entities: Leaf.self, options: options)
        }
        guard code == .projectionPending else {
            let store = try open(FailingProjection.self)
            try store.write { try $0.insert(Leaf(id: 1)) }
            _ = try store.projection(FailingProjection.self)
            return
        }
        let store = try open()
        for _ in 0...ProjectionRebuilder.eventsMaxBeforeUse {
            try store.write { try $0.upsert(Leaf(id: 1)) }
            try store.write { try $0.delete(Leaf.self, 1) }
        }
        try store.close()
        let again = try open(WaitingProjection.self)
        defer { WaitingProjection.mayContinue.change { $0 = true } }
        _ = try again.projection(WaitingProjection.self)
    }

    /// Handles an event in vain.
    private static func subscribeInVain() throws {
        let reported = Monitor<StoreError?>(nil)
        var options = Store.Options()
        options.onError = { error in
            guard let error = error as? StoreError, error.code == .subscriptionFailed else {
                return
            }
            reported.change { $0 = error }
        }
        let store = try Store(on: SimulatedDisk(), entities: Leaf.self, options: options)
        try store.setPosition(ofSubscription: "vain", to: .zero)
        let subscription = try store.subscribe("vain", retrying: RetryPolicy(attemptsMax: 1)) { _ in
            throw FailingProjection.Failure()
        }
        try store.write(durability: .durable) { try $0.insert(Leaf(id: 1)) }
        let error = reported.wait { $0 }
        subscription.cancel()
        throw error
    }
}

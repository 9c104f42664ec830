import SkyrosDisk

@testable import Skyros

/// Positions in memory, and when they are saved.
final class KeptPositions: SubscriptionPositions {
    private let positions = Locked<[String: SubscriptionPosition]>([:])
    private let failures = Locked((position: 0, save: 0))
    private let error = Locked<any Error>(Mailbox.Unreachable())
    /// Is called before a position is kept.
    private let onSave = Locked<@Sendable (SequenceNumber) -> Void>({ _ in })
    /// Is raised with each position that was saved.
    let saved = EventSignal(.zero)

    func position(of name: String) throws -> SubscriptionPosition? {
        try failures.withLock { try fail(&$0.position) }
        return positions.withLock { $0[name] }
    }

    func save(_ position: SubscriptionPosition, of name: String) throws {
        try failures.withLock { try fail(&$0.save) }
        onSave.withLock { $0 }(position.sequence)
        positions.withLock { $0[name] = position }
        saved.raise(position.sequence)
    }

    func remove(_ name: String) { positions.withLock { $0[name] = nil } }

    func all() -> [String: SubscriptionPosition] { positions.withLock { $0 } }

    /// Lets the next calls of `position` or `save` fail.
    func fail(
        reading: Int = 0, saving: Int = 0, with error: any Error = Mailbox.Unreachable()
    ) {
        self.error.withLock { $0 = error }
        failures.withLock { $0 = (reading, saving) }
    }

    private func fail(_ count: inout Int) throws {
        guard count > 0 else { return }
        count -= 1
        throw error.withLock { $0 }
    }

    func whenSaving(_ body: @escaping @Sendable (SequenceNumber) -> Void) {
        onSave.withLock { $0 = body }
    }
}

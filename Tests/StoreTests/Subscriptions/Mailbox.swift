import SkyrosDisk
import SkyrosTesting
import TestSupport

@testable import Skyros

/// What the handlers of a test have got.
final class Mailbox: Sendable {
    private let received = Locked<[SequenceNumber]>([])
    private let failures = Locked(0)

    var sequences: [SequenceNumber] { received.withLock { $0 } }

    func receive(_ event: AppliedEvent) { received.withLock { $0.append(event.sequence) } }

    /// Lets the next calls of `receiveOrFail` fail.
    func fail(times count: Int) { failures.withLock { $0 = count } }

    func receiveOrFail(_ event: AppliedEvent) throws {
        let fails = failures.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if fails { throw Unreachable() }
        receive(event)
    }

    struct Unreachable: Error {}
}

extension Store {
    /// A store that syncs only what is written durably.
    static func subscribed(
        on disk: SimulatedDisk, clock: ManualClock = ManualClock(),
        setting options: (inout Store.Options) -> Void = { _ in }
    ) throws -> Store {
        try projecting(on: disk, clock: clock, setting: options)
    }

    func writeDurably(
        _ ids: some Sequence<Int>, _ text: String = "a", by actor: String = "ada"
    ) throws {
        for id in ids {
            try write(by: actor, durability: .durable) { try $0.upsert(Note(id: id, text: text)) }
        }
    }

    func writeBuffered(_ ids: some Sequence<Int>) throws {
        for id in ids { try write { try $0.upsert(Note(id: id, text: "")) } }
    }
}

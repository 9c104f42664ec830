import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// A handler whose effects survive a crash.
private final class Effects: Sendable {
    /// The events, each with the number of disk operations before its effect.
    private let list = Locked<[(sequence: SequenceNumber, operationCount: Int)]>([])

    func add(_ event: AppliedEvent, on disk: SimulatedDisk) {
        let count = disk.operations.count
        list.withLock { $0.append((event.sequence, count)) }
    }

    /// Those before a disk operation.
    func sequences(before operation: Int = .max) -> [SequenceNumber] {
        list.withLock { $0.filter { $0.operationCount <= operation }.map(\.sequence) }
    }
}

@Suite(.mayHang) struct `A subscription of a store that crashes` {
    /// Writes, handles and closes, twice; the snapshots are of each point of that.
    private func recordedRun(_ effects: Effects) async throws -> [SimulatedDisk.DiskSnapshot] {
        let disk = SimulatedDisk()
        let first = try Store.subscribed(on: disk)
        try first.setPosition(ofSubscription: "mail", to: .zero)
        try Self.close(first)
        disk.record()
        for round in 0..<2 {
            let store = try Store.subscribed(on: disk)
            let subscription = try store.subscribe("mail", sleep: { _ in }) {
                effects.add($0, on: disk)
            }
            for id in 0..<4 {
                try store.writeBuffered([10 * round + id])
                try store.writeDurably([10 * round + id + 5])
                try await subscription.waitUntilHandled(store.sequence)
            }
            try Self.close(store)
        }
        return disk.snapshots
    }

    private static func close(_ store: Store) throws { try store.close() }

    @Test func `handles each event at least once, in order, wherever it crashes`() async throws {
        let effects = Effects()
        let snapshots = try await recordedRun(effects)
        #expect(effects.sequences() == Array(1...16))
        #expect(snapshots.count > 50)
        for (index, snapshot) in snapshots.enumerated() {
            let before = effects.sequences(before: snapshot.operationCount)
            let disks =
                [snapshot.disk.killed()]
                + (0..<3).map { snapshot.disk.crashed(seed: UInt64(10 * index + $0)) }
            for disk in disks { try await check(disk, before, "snapshot \(index)") }
        }
    }

    private func check(
        _ disk: SimulatedDisk, _ before: [SequenceNumber], _ what: String
    ) async throws {
        let store = try Store.subscribed(on: disk)
        let last = store.sequence
        let position = try #require(try store.position(ofSubscription: "mail"), "\(what)")
        #expect(position <= last, "\(what): ahead of the log")
        // What is durable only has effects, and the position only counts what has had one.
        #expect(before.allSatisfy { $0 <= last }, "\(what): \(before) of \(last)")
        #expect(before.starts(with: position > .zero ? Array(1...position) : []), "\(what)")
        let after = Effects()
        let subscription = try store.subscribe("mail", sleep: { _ in }) { after.add($0, on: disk) }
        if position < last { try await subscription.waitUntilHandled(last) }
        let rest = position < last ? Array(position.next...last) : []
        #expect(after.sequences() == rest, "\(what)")
        try Self.close(store)
        #expect(try Store.subscribed(on: disk).position(ofSubscription: "mail") == last)
    }
}

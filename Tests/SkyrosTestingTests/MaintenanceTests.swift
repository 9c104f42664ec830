import SkyrosDisk
import SkyrosTesting
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
}

/// When the background writes a checkpoint. A millisecond is the time of some 500 inserts.
@Suite struct `A checkpoint in the background` {
    private let disk = SimulatedDisk()
    private let store: Store

    init() throws {
        var options = Store.Options()
        options.syncInterval = .milliseconds(3_600_000)
        options.openingTarget = .milliseconds(1)
        store = try Store(on: disk, entities: Item.self, options: options)
    }

    private func insert(_ ids: Range<Int>) throws {
        try store.write { tx in for id in ids { try tx.insert(Item(id: id)) } }
    }

    /// The event through which the checkpoint reaches once the background has done its work.
    private func checkpointed() throws -> SequenceNumber? {
        store.maintenance.stop()
        return try Archive(on: disk).info().checkpointSequence
    }

    @Test func `waits until opening would take too long`() throws {
        try insert(0..<300)
        #expect(try checkpointed() == nil)
    }

    @Test func `is due once it would`() throws {
        try insert(0..<300)
        try insert(300..<600)
        #expect(try checkpointed() == 2)
    }

    @Test func `that failed leaves what it was to save as due as before`() throws {
        try insert(0..<300)
        disk.inject(Fault(.write, reason: .noSpace, isLasting: true))
        #expect(throws: StoreError(.checkpointFailed, "")) { try store.maintenance.checkpoint() }
        disk.heal()
        try insert(300..<600)
        #expect(try checkpointed() == 2)
    }

    @Test func `that failed while others wrote leaves what came first in front`() throws {
        try insert(0..<3)
        try store.maintenance.checkpoint()
        try store.write { try $0.deleteAll(Item.self) }
        let (_, dirty) = store.view.takeDirty()
        try insert(5..<6)
        store.view.restoreDirty(dirty)
        try store.maintenance.checkpoint()
        let next = try Store(on: disk.killed(), entities: Item.self)
        #expect(next.recovery.checkpoint == .loaded(3))
        #expect(try next.all(Item.self) == [Item(id: 5)])
    }

    @Test func `that failed while others deleted all leaves nothing of what came first`() throws {
        try insert(0..<3)
        try store.maintenance.checkpoint()
        try insert(3..<5)
        let (_, dirty) = store.view.takeDirty()
        try store.write { try $0.deleteAll(Item.self) }
        try insert(5..<6)
        store.view.restoreDirty(dirty)
        try store.maintenance.checkpoint()
        let next = try Store(on: disk.killed(), entities: Item.self)
        #expect(next.recovery.checkpoint == .loaded(4))
        #expect(try next.all(Item.self) == [Item(id: 5)])
    }
}

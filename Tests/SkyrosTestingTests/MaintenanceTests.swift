import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
    var n = 0
}

/// When the background writes a checkpoint. The target of 1 ms is the cost of about 500 inserts.
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

    /// Stops the background and returns the last event in the checkpoint; nil if there is none.
    private func checkpointed() throws -> SequenceNumber? {
        store.maintenance.stop()
        return try Archive(on: disk).info().checkpointSequence
    }

    @Test func `is not written while opening is fast enough`() throws {
        try insert(0..<300)
        #expect(try checkpointed() == nil)
    }

    @Test func `is written when opening would take too long`() throws {
        try insert(0..<300)
        try insert(300..<600)
        #expect(try checkpointed() == 2)
    }

    /// What ends while a run seals is left for the next run.
    @Test func `is written beside a writer that ends segments as fast as they are sealed`() throws {
        let disk = SimulatedDisk()
        let hooked = HookedDisk(disk)
        var options = Store.Options()
        options.segmentBytesMax = 100
        options.openingTarget = .milliseconds(1)
        let store = try Store(Schema([Item.self]), options, Environment(disk: hooked))
        let empty = disk.contents["checkpoint.sqlite"]
        let sealedCount = Locked(0)
        hooked.beforeEach { [weak store, disk] operation, path in
            guard operation == .rename, path.hasSuffix(".zst"),
                disk.contents["checkpoint.sqlite"] == empty
            else { return }
            let count = sealedCount.withLock { count in
                count += 1
                return count
            }
            guard count < 200 else { return }
            try? store?.write { tx in for id in 0..<10 { try tx.upsert(Item(id: id, n: count)) } }
        }
        try store.maintenance.withPause {
            for n in 1...2 {
                try store.write { tx in for id in 0..<600 { try tx.upsert(Item(id: id, n: n)) } }
            }
        }
        store.maintenance.stop()
        #expect(sealedCount.withLock { $0 } == 1)
    }

    @Test func `that failed is written with the next one`() throws {
        try insert(0..<300)
        disk.inject(Fault(.write, reason: .noSpace, isLasting: true))
        #expect(throws: StoreError(.checkpointFailed, "")) { try store.maintenance.checkpoint() }
        disk.heal()
        try insert(300..<600)
        #expect(try checkpointed() == 2)
    }

    @Test func `that failed during a write keeps its older deletions before newer rows`() throws {
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

    @Test func `that failed during a deleteAll restores no older rows`() throws {
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

/// What the background does beside segments and checkpoints.
@Suite struct `The background of a store` {
    private struct Text: Entity {
        var id: Int
        var text: String
    }

    /// The GNU C library would keep it in a heap for each few threads.
    @Test func `returns freed memory to the system again and again`() throws {
        let store = try Store(inMemory: Text.self)
        let text = String(repeating: "a", count: 1 << 20)
        for round in 0..<44 {
            try store.write { try $0.upsert(Text(id: 1, text: text + "\(round)")) }
        }
        store.maintenance.stop()
        // 86 MiB of log, as an update holds both texts: at each 16 MiB, or when the background is
        // woken next, 4 MiB later.
        #expect((3...5).contains(store.maintenance.freeMemory.returnCount))
    }
}

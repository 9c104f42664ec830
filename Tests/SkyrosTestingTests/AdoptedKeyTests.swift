import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity {
    var id: Int
}

private struct Add: DomainCommand {
    var id: Int
}

@Suite struct `A store that was saved from its checkpoint` {
    @Test func `knows the idempotency keys, and the intents under them`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Item.self)
        try store.write(once: "a", intent: Add(id: 1)) { try $0.insert(Item(id: 1)) }
        try store.write(once: "b") { try $0.insert(Item(id: 2)) }
        try store.close()
        let copy = SimulatedDisk()
        let report = try Archive.salvageCheckpoint(on: disk, onto: Environment(disk: copy))
        #expect(report.sequence == 3)
        for isReopened in [false, true] {
            let saved = try Store(on: copy, entities: Item.self)
            #expect((saved.recovery.checkpoint == .loaded(3)) == isReopened)
            let first = try saved.write(once: "a", intent: Add(id: 1)) { _ in }
            #expect(first.isRepeated && first.sequence == 2)
            #expect(try saved.write(once: "b") { _ in }.sequence == 3)
            for (key, intent) in [("a", Add(id: 2)), ("b", Add(id: 1)), ("a", nil)] {
                let error = failure(as: StoreError.self) {
                    try saved.write(once: key, intent: intent) { _ in }
                }
                #expect(error?.code == .conflict)
            }
            try saved.close()
        }
        #expect(try Archive(on: copy).verify().problems == [])
    }

    @Test func `has events in the order of time, also at its end`() throws {
        let (disk, copy) = (SimulatedDisk(), SimulatedDisk())
        let clock = ManualClock(microseconds: .max)
        let store = try Store(on: disk, entities: Item.self, clock: clock)
        try store.write(once: "a") { try $0.insert(Item(id: 1)) }
        try store.close()
        _ = try Archive.salvageCheckpoint(on: disk, onto: Environment(disk: copy))
        let archive = try Archive(on: copy)
        #expect(archive.sequence == 2 && archive.verify().problems == [])
        // It can be written to.
        let saved = try Store(on: copy, entities: Item.self)
        try saved.write { try $0.insert(Item(id: 2)) }
        try saved.close()
    }
}

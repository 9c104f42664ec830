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
}

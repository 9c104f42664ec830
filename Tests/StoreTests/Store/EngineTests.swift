import SkyrosDisk
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A store on a log engine without files` {
    private let contents = MemoryLog.Contents(StoreID(from: SystemEntropy()))

    private func store() throws -> Store {
        let disk = MemoryDisk()
        let schema = try Schema([Note.self])
        let empty = Snapshot(
            schema, beginning: ChainHash(beginning: MemoryLog(contents).storeID), hashSeed: 1)
        return Store(
            StoreResources(
                lock: try disk.lock(), log: MemoryLog(contents), schema: schema,
                environment: Environment(disk: disk), options: Store.Options(),
                view: MainView(empty, dirty: DirtyRows(isRecording: false)),
                keys: IdempotencyKeys(KeyTable(), KeyWindow(KeyWindow.standard)), empty: empty,
                checkpointer: nil, recovery: RecoveryReport(),
                handler: ErrorHandler(Store.Options())))
    }

    @Test func `writes, reads, waits for durability, and shows the past`() throws {
        let store = try store()
        for id in 1...5 { try store.write { try $0.insert(Note(id: id, text: "a")) } }
        let (_, receipt) = try store.writeWithReceipt { try $0.delete(Note.self, 3) }
        try receipt.waitUntilDurable()
        #expect(try store.count(Note.self) == 4)
        #expect(try store.snapshot(asOf: .sequence(5)).count(Note.self) == 5)
        #expect(try store.history(of: Note.self, 3).count == 2)
        #expect(try Array(store.events(2...4)).map(\.sequence.rawValue) == [2, 3, 4])
        #expect(throws: StoreError(.invalidInput, "")) { try store.nuke() }
        #expect(try store.count(Note.self) == 4)
        try store.close()
        #expect(throws: StoreError(.closed, "")) {
            try store.write { try $0.insert(Note(id: 9, text: "b")) }
        }
    }
}

import SkyrosDisk
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The main view` {
    /// What the rows of a state saw when they were freed.
    private final class Frees: Sendable {
        let whileLocked = Locked(0)
        let others = Locked(0)
    }

    /// A row that records whether readers are locked out when it is freed, as the nodes around it.
    ///
    /// - Note: `@unchecked` as its superclass is; what it adds is immutable.
    private final class WitnessRow: Row, @unchecked Sendable {
        let lock: SharedLock
        let frees: Frees

        init(_ number: Int, in table: Table, _ lock: SharedLock, _ frees: Frees) {
            self.lock = lock
            self.frees = frees
            let id = StateFixtures.id(number)
            super.init(id: id, hash: table.hash(id), number: UInt64(number), bytes: [0xA0])
        }

        deinit {
            (lock.isHeldExclusively ? frees.whileLocked : frees.others).withLock { $0 += 1 }
        }
    }

    @Test func `frees the nodes of a large change after readers are let in (F52)`() throws {
        let storeID = StoreID(from: SystemEntropy())
        let empty = Snapshot(
            try Schema([Note.self]), beginning: ChainHash(beginning: storeID), hashSeed: 1)
        let view = MainView(empty, dirty: DirtyRows(isRecording: false))
        let frees = Frees()
        try view.update(changeCount: 5_000) { snapshot, _ in
            for number in 1...5_000 {
                let row = WitnessRow(number, in: snapshot.tables[0], view.lock, frees)
                try snapshot.tables[0].put(row, replacing: nil)
            }
        }
        view.update(changeCount: 5_000) { snapshot, _ in
            #expect(!view.lock.isHeldExclusively)
            snapshot.tables[0].clear()
        }
        #expect(frees.others.withLock { $0 } == 5_000)
        #expect(frees.whileLocked.withLock { $0 } == 0)
    }
}

import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `Writers and readers side by side` {
    private let threadCount = 8
    private let writesPerThread = 500

    /// Runs `body` with each number from 0 below 4,000 on 8 threads; returns how often it threw.
    private func writeOnThreads(_ body: @escaping @Sendable (Int) throws -> Void) -> Int {
        let failures = Locked(0)
        inParallel(threadCount * writesPerThread, threads: threadCount) { number in
            do { try body(number) } catch { failures.withLock { $0 += 1 } }
        }
        return failures.withLock { $0 }
    }

    @Test(.long, arguments: Medium.allCases)
    func `S-055: lose no insert`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let failures = writeOnThreads { number in
            try store.write { try $0.insert(Account(id: number)) }
        }
        #expect(failures == 0)
        let again = try home.reopened(store)
        #expect(try again.all(Account.self).map(\.id) == Array(0..<4_000))
        #expect(try again.allEvents.map(\.sequence.rawValue) == Array(1...4_000))
    }

    @Test(.long, arguments: Medium.allCases)
    func `S-056: lose no increment`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(Account(id: 1)) }
        let failures = writeOnThreads { _ in
            try store.write { tx in try tx.update(Account.self, 1) { $0.amount += 1 } }
        }
        #expect(failures == 0)
        #expect(try home.reopened(store).get(Account.self, 1)?.amount == 4_000)
    }

    @Test(arguments: Medium.allCases)
    func `S-057: of two stores do not wait for each other`(medium: Medium) throws {
        let homes = [try Home(medium), try Home(medium)]
        let stores = try homes.map { try $0.open() }
        let gate = Gate()
        let completions = Completions()
        stores[0].writeAsync { tx in
            gate.pass()
            try tx.insert(User.john)
        } completion: {
            completions.add($0)
        }
        gate.waitUntilReached()
        try stores[1].write { try $0.insert(User.jane) }
        #expect(try stores.map { try $0.count(User.self) } == [0, 1])
        gate.open()
        completions.wait(for: 1)
        #expect(try stores.map { try $0.count(User.self) } == [1, 1])
    }

    @Test(arguments: Medium.allCases)
    func `S-058: read the newest state while the disk hangs`(medium: Medium) throws {
        let home = try Home(medium)
        switch medium {
        case .disk:
            let path = home.directory.store.path(percentEncoded: false)
            try readWhileDiskHangs(GatedDisk(try PosixDisk(path: path, creating: true)))
        case .memory:
            try readWhileDiskHangs(GatedDisk(MemoryDisk()))
        }
    }

    private func readWhileDiskHangs(_ disk: GatedDisk<some Disk>) throws {
        disk.allowSyncs(.max)
        let store = try Store(Schema([User.self]), Store.Options(), Environment(disk: disk))
        try store.write(durability: .durable) { try $0.insert(User.john) }
        let begunCount = disk.blockSyncs()
        defer { disk.allowSyncs(.max) }
        let ended = Gate()
        Thread.detachNewThread {
            _ = try? store.write(durability: .durable) { try $0.insert(User.jane) }
            ended.pass()
        }
        disk.waitForSyncs(begunCount + 1)
        // The event is visible before it is durable.
        #expect(try store.count(User.self) == 2)
        #expect(try store.get(User.self, User.john.id) == .john)
        disk.allowSyncs(.max)
        ended.waitUntilReached()
        ended.open()
        try store.close()
    }

    @Test(arguments: Medium.allCases)
    func `S-059: show what the log says, and nothing else`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert([User.john, .jane]) }
        try store.write { tx in try tx.update(User.self, User.john.id) { $0.age = nil } }
        try store.write { try $0.delete(User.jane) }
        try store.write { try $0.deleteAll(Pet.self) }
        let digest = try store.snapshot.digest()
        let last = store.sequence
        try store.write { try $0.insert(Pet()) }
        #expect(try store.snapshot(asOf: .sequence(last)).digest() == digest)
        guard medium == .disk else { return }
        let again = try home.reopened(store)
        let archive = try Archive(at: home.directory.store)
        #expect(try archive.snapshot().digest() == again.snapshot.digest())
        #expect(try archive.snapshot(asOf: .sequence(last)).digest() == digest)
        try again.close()
        #expect(try Archive(at: home.directory.store).verify().ok)
    }
}

import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// A store that is suspended while another opener uses its files.
@Suite(.mayHang) struct `A suspended store` {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Self.open(directory.store)
        for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "mine")) } }
    }

    private static func open(_ url: URL) throws -> Store {
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        options.segmentBytesMax = 2_000
        return try Store(at: url, entities: Note.self, options: options)
    }

    private func contents() throws -> [String: Data] {
        // The opener's name in the lock file may change.
        try directory.contents().filter { !$0.key.hasSuffix("/lock") && $0.key != "lock" }
    }

    private func expect(_ ids: some Sequence<Int>, in store: Store) throws {
        #expect(try store.all(Note.self).map(\.id) == Array(ids))
        #expect(
            try store.snapshot(asOf: .sequence(store.sequence)).digest() == store.snapshot.digest())
    }

    /// How the other opener leaves the files.
    enum Ending: CaseIterable { case closed, abandoned }

    @Test(arguments: Ending.allCases, [1, 40])
    func `folds what another has written, when it resumes (F3)`(
        _ ending: Ending, _ count: Int
    ) throws {
        store.suspend()
        let other = try Self.open(directory.store)
        for id in 0..<count {
            try other.write { try $0.insert(Note(id: 100 + id, text: "theirs")) }
        }
        try other.write { tx in
            try tx.update(Note.self, 2) { $0.text = "changed" }
            try tx.delete(Note.self, 1)
        }
        // Suspending leaves the end as a killed process does.
        if ending == .closed { try other.close() } else { other.suspend() }
        let changes = store.changes()
        try store.resume()
        #expect(store.sequence == SequenceNumber(rawValue: UInt64(count) + 4))
        #expect(try store.get(Note.self, 2)?.text == "changed")
        try expect([2, 3] + (100..<100 + count), in: store)
        try store.write { try $0.insert(Note(id: 500, text: "mine")) }
        try store.write(durability: .durable) { try $0.delete(Note.self, 3) }
        try store.close()
        _ = changes
        let again = try Self.open(directory.store)
        try expect([2] + (100..<100 + count) + [500], in: again)
        try again.close()
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `resumes where it was if nobody came (F3)`() throws {
        for round in 10..<15 {
            store.suspend()
            store.suspend()
            try store.resume()
            try store.resume()
            try store.write { try $0.insert(Note(id: round, text: "")) }
            if round == 12 { try store.run(.checkpoint) }
        }
        try expect([1, 2, 3] + (10..<15), in: store)
        try store.close()
        let again = try Self.open(directory.store)
        #expect(again.recovery.checkpoint == .loaded(8))
        try expect([1, 2, 3] + (10..<15), in: again)
        try again.close()
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `refuses new events, and reads go on`() async throws {
        store.suspend()
        let store = store
        func insert() throws { try store.write { try $0.insert(Note(id: 9, text: "")) } }
        #expect(code { try insert() } == .suspended)
        #expect(
            code { try store.write(durability: .deferred) { _ = try $0.delete(Note.self, 1) } }
                == .suspended)
        #expect(code { try store.write(durability: .durable) { _ in } } == .suspended)
        #expect(try store.count(Note.self) == 3)
        #expect(try Array(store.events()).count == 3)
        #expect(try store.history(of: Note.self, 1).count == 1)
        try store.resume()
        try insert()
        #expect(store.sequence == 4)
        try store.close()
    }

    @Test func `does not wait for a block that runs, which then cannot append`() throws {
        let inBlock = Monitor(false)
        let mayEnd = Monitor(false)
        let outcome = Monitor<StoreError.Code??>(nil)
        Thread.detachNewThread { [store] in
            let result = code {
                try store.write { tx in
                    try tx.insert(Note(id: 9, text: ""))
                    inBlock.change { $0 = true }
                    mayEnd.wait { $0 ? () : nil }
                }
            }
            outcome.change { $0 = .some(result) }
        }
        inBlock.wait { $0 ? () : nil }
        // The block ends only after it, so this would hang.
        store.suspend()
        let other = try Self.open(directory.store)
        try other.write { try $0.insert(Note(id: 9, text: "theirs")) }
        try other.close()
        mayEnd.change { $0 = true }
        #expect(outcome.wait { $0 } == .suspended)
        try store.resume()
        #expect(try store.get(Note.self, 9)?.text == "theirs")
        try store.close()
    }

    @Test func `keeps queued blocks until it resumes`() async throws {
        store.suspend()
        let order = Monitor<[String]>([])
        for id in 20..<23 {
            store.writeAsync {
                try $0.insert(Note(id: id, text: ""))
            } completion: { result in
                order.change { $0.append((try? result.get().sequence)?.map(\.description) ?? "-") }
            }
        }
        let other = try Self.open(directory.store)
        try other.writeSync { try $0.insert(Note(id: 4, text: "")) }
        try other.close()
        #expect(order.withLock { $0 } == [])
        try store.resume()
        order.wait { $0.count == 3 ? () : nil }
        #expect(order.withLock { $0 } == ["5", "6", "7"])
        try store.close()
    }

    @Test func `stays suspended while another has it open (F42)`() throws {
        store.suspend()
        let other = try Self.open(directory.store)
        #expect(code { try store.resume() } == .alreadyOpen)
        #expect(code { try store.write { _ in } } == .suspended)
        try other.write { try $0.insert(Note(id: 4, text: "")) }
        try other.close()
        try store.resume()
        try expect(1...4, in: store)
        try store.close()
    }

    @Test func `refuses a log with another history (F31)`() throws {
        let older = directory.url.appending(path: "older")
        store.suspend()
        try FileManager.default.copyItem(at: directory.store, to: older)
        try store.resume()
        try store.write { try $0.insert(Note(id: 4, text: "lost")) }
        store.suspend()
        try FileManager.default.removeItem(at: directory.store)
        try FileManager.default.moveItem(at: older, to: directory.store)
        // The store still has the directory that was removed.
        #expect(code { try store.resume() } != nil)
        #expect(code { try store.write { _ in } } == .suspended)
    }

    @Test func `refuses a log that has lost an event, or has another in its place (F31)`() throws {
        let events = directory.store.appending(path: "events")
        let older = directory.url.appending(path: "older")
        store.suspend()
        try FileManager.default.copyItem(at: events, to: older)
        try store.resume()
        try store.write { try $0.insert(Note(id: 4, text: "lost")) }
        store.suspend()
        try FileManager.default.removeItem(at: events)
        try FileManager.default.moveItem(at: older, to: events)
        #expect(code { try store.resume() } == .historyChanged)
        let other = try Self.open(directory.store)
        try other.write { try $0.insert(Note(id: 5, text: "fork")) }
        try other.close()
        #expect(code { try store.resume() } == .historyChanged)
        #expect(code { try store.write { _ in } } == .suspended)
        try expect(1...4, in: store)
    }

    @Test func `changes no file, not even when it is closed or released`() throws {
        let other = try Self.open(directory.url.appending(path: "Other.skyros"))
        for id in 0..<100 { try other.write { try $0.insert(Note(id: id, text: "text")) } }
        other.suspend()
        store.suspend()
        let before = try contents()
        store.writeAsync { try $0.insert(Note(id: 9, text: "")) }
        #expect(code { try other.run(.checkpoint) } == .suspended)
        #expect(code { try other.run(.mark) } == nil)
        _ = try? other.run(.seal)
        try other.close()
        try store.close()
        #expect(code { try store.write { _ in } } == .closed)
        #expect(try contents() == before)
        let again = try Self.open(directory.store)
        try expect(1...3, in: again)
        try again.close()
    }

    @Test func `ends a queued block with an error if it is closed`() throws {
        store.suspend()
        let outcome = Monitor<Result<Receipt, any Error>?>(nil)
        store.writeAsync { _ in
        } completion: { result in
            outcome.change { $0 = result }
        }
        try store.close()
        let result = outcome.wait { $0 }
        #expect(throws: StoreError(.closed, "")) { try result.get() }
        #expect(code { try store.resume() } == .closed)
    }

    @Test func `is not what a closed store becomes, whose queue refuses blocks`() async throws {
        let store = store
        try store.close()
        store.suspend()
        // A paused queue would keep it.
        await #expect(throws: StoreError(.closed, "")) { try await store.write { _ in } }
    }

    @Test func `is clean if everything was durable (F1)`() throws {
        try store.write(durability: .durable) { try $0.insert(Note(id: 4, text: "")) }
        store.suspend()
        let other = try Self.open(directory.store)
        #expect(other.recovery.wasClean)
        #expect(other.recovery.replayedEventCount == 4)
        try other.close()
    }
}

/// A disk on which the test blocks syncs; suspending it is that of the simulated disk.
private struct BlockedDisk: Disk {
    let disk = SimulatedDisk()
    let isBlocked = Monitor(false)
    let blockedCount = Monitor(0)

    private struct File: DiskFile {
        let file: any DiskFile
        let disk: BlockedDisk

        func sync() throws(DiskError) {
            try file.sync()
            guard disk.isBlocked.withLock({ $0 }) else { return }
            disk.blockedCount.change { $0 += 1 }
            disk.isBlocked.wait { $0 ? nil : () }
        }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at position: Int
        ) throws(DiskError) -> Int { try file.read(into: buffer, at: position) }

        func write(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(DiskError) {
            try file.write(bytes, at: position)
        }

        func status() throws(DiskError) -> FileStatus { try file.status() }
        func preallocate(to size: Int) throws(DiskError) { try file.preallocate(to: size) }
        func truncate(to size: Int) throws(DiskError) { try file.truncate(to: size) }
        func close() throws(DiskError) { try file.close() }
    }

    var bootID: String { disk.bootID }
    var systemPath: String? { nil }
    func makeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.makeDirectory(directory)
    }
    func removeDirectory(_ directory: Directory) throws(DiskError) {
        try disk.removeDirectory(directory)
    }
    func list(_ directory: Directory) throws(DiskError) -> [String] { try disk.list(directory) }
    func status(of path: DiskPath) throws(DiskError) -> FileStatus? { try disk.status(of: path) }
    func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
        File(file: try disk.open(path, mode), disk: self)
    }
    func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        try disk.rename(source, to: target)
    }
    func remove(_ path: DiskPath) throws(DiskError) { try disk.remove(path) }
    func syncDirectory(_ directory: Directory) throws(DiskError) {
        try disk.syncDirectory(directory)
    }
    func lock() throws(DiskError) -> any DiskLock { try disk.lock() }
    func suspend() { disk.suspend() }
    func resume() { disk.resume() }
}

@Suite(.mayHang) struct `Suspending a store` {
    private let disk = BlockedDisk()

    private func open() throws -> Store {
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        options.segmentBytesMax = 400
        return try Store(Schema([Note.self]), options, Environment(disk: disk))
    }

    /// What is synced when the store is suspended.
    enum Synced: CaseIterable { case segment, newSegment }

    @Test(arguments: Synced.allCases)
    func `waits for no sync, and frees the lock (F22)`(_ synced: Synced) throws {
        let store = try open()
        store.maintenance.stop()
        try store.write(durability: .durable) { try $0.insert(Note(id: 1, text: "a")) }
        if synced == .newSegment {
            let text = String(repeating: "x", count: 400)
            try store.write(durability: .durable) { try $0.insert(Note(id: 2, text: text)) }
        }
        disk.isBlocked.change { $0 = true }
        let outcome = Monitor<StoreError.Code??>(nil)
        Thread.detachNewThread {
            let result = code {
                try store.write(durability: .durable) { try $0.insert(Note(id: 3, text: "c")) }
            }
            outcome.change { $0 = .some(result) }
        }
        disk.blockedCount.wait { $0 >= 1 ? () : nil }
        // The sync ends only after it, so this would hang.
        store.suspend()
        let before = disk.disk.contents
        let lock = try disk.lock()
        lock.release()
        disk.isBlocked.change { $0 = false }
        let result = outcome.wait { $0 }
        // A segment that is being created when the store is suspended does not come to be.
        #expect(result == (synced == .segment ? nil : .suspended))
        #expect(disk.disk.contents == before)
        try store.resume()
        #expect(store.sequence == 2)
        try store.write(durability: .durable) { try $0.insert(Note(id: 4, text: "d")) }
        try store.close()
        let again = try Store(on: disk.disk.crashed(seed: 1), entities: Note.self)
        #expect(try again.exists(Note.self, 4))
        #expect(try again.exists(Note.self, 3) == (synced == .segment))
    }

    @Test func `writes what was deferred, and loses nothing that was promised (F1, F4)`() throws {
        for seed: UInt64 in 1...20 {
            let disk = SimulatedDisk()
            var options = Store.Options()
            options.syncInterval = .seconds(3_600)
            let store = try Store(on: disk, entities: Note.self, options: options)
            try store.write(durability: .durable) { try $0.insert(Note(id: 1, text: "durable")) }
            if seed > 10 {
                try store.write { try $0.insert(Note(id: 2, text: "buffered")) }
                try store.write(durability: .deferred) { try $0.insert(Note(id: 3, text: "")) }
            }
            store.suspend()
            let killed = try Store(on: disk.killed(), entities: Note.self)
            #expect(try killed.count(Note.self) == (seed > 10 ? 3 : 1))
            #expect(killed.recovery.wasClean == (seed <= 10))
            let crashed = try Store(on: disk.crashed(seed: seed), entities: Note.self)
            #expect(try crashed.exists(Note.self, 1))
            try store.resume()
            let durable = try Store(on: disk.crashed(seed: seed), entities: Note.self)
            #expect(try durable.count(Note.self) == (seed > 10 ? 3 : 1))
        }
    }

    @Test func `lets a write that waits for durability fail, and keeps its event`() throws {
        let store = try open()
        let receipt = try store.writeWithReceipt { try $0.insert(Note(id: 1, text: "")) }.receipt
        store.suspend()
        #expect(code { try receipt.waitUntilDurable() } == .suspended)
        try store.resume()
        try receipt.waitUntilDurable()
        let again = try Store(on: disk.disk.crashed(seed: 3), entities: Note.self)
        #expect(try again.exists(Note.self, 1))
    }
}

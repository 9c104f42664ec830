import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// Disks that stop or fail in the middle of a write, which only a simulated one does on request.
@Suite struct `A write on a disk that fails` {
    private func open(_ disk: SimulatedDisk, _ options: Store.Options = Store.Options()) throws
        -> Store
    {
        try Store(on: disk, entities: Account.self, options: options)
    }

    private let batch = (2...5).map { Account(id: $0, amount: $0) }

    @Test(.long) func `S-048: is there whole or not at all, wherever it is stopped`() throws {
        var counts: [Int] = []
        var byteCount = 0
        while counts.last != 5 {
            let disk = SimulatedDisk(hasCheckpoints: false)
            let store = try open(disk)
            try store.write { try $0.insert(Account(id: 1)) }
            // The write stops after some bytes, and the process with it.
            disk.inject(Fault(nil, isLasting: true, writtenBytes: byteCount))
            let isWritten = (try? store.write { try $0.insert(batch) }) != nil
            let found = try open(disk.killed())
            counts.append(try found.count(Account.self))
            #expect([1, 5].contains(counts[byteCount]), "after \(byteCount) bytes")
            #expect(found.sequence == (counts[byteCount] == 5 ? 2 : 1))
            #expect(!isWritten || counts[byteCount] == 5)
            byteCount += 1
            try #require(byteCount < 4_096)
        }
        #expect(byteCount > 50)
    }

    @Test(.long, .inFiles)
    func `S-048: is there whole or not at all, at any length of its file`() throws {
        let home = try Home(.disk)
        let store = try home.open()
        try store.write { try $0.insert(Account(id: 1)) }
        let before = try home.directory.contents()
        try store.write { try $0.insert(batch) }
        let after = try home.directory.contents()
        let changed = after.filter { before[$0.key] != $0.value }
        #expect(changed.count == 1)
        let (path, new) = try #require(changed.first)
        let old = try #require(before[path])
        let start = try #require(zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset)
        let end = try #require(new.lastIndex { $0 != 0 }) + 1
        let copy = try TemporaryDirectory()
        let file = copy.url.appending(path: path)
        var counts: [Int] = []
        for cut in stride(from: start, to: end, by: 16) + [end] {
            for (name, data) in after {
                let url = copy.url.appending(path: name)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try data.write(to: url)
            }
            try (new[..<cut] + old[cut...]).write(to: file)
            let store = try Store(at: copy.store, entities: Account.self)
            counts.append(try store.count(Account.self))
            try store.close()
            try FileManager.default.removeItem(at: copy.store)
        }
        #expect(counts.dropLast().allSatisfy { $0 == 1 })
        #expect(counts.last == 5)
    }

    @Test func `S-050: gives the error to its completion, and is taken back`() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        try store.write { try $0.insert(Account(id: 1)) }
        disk.inject(Fault(.write, reason: .noSpace))
        let completions = Completions()
        let insert: @Sendable (inout WriteTransaction) throws -> Void = { [batch] in
            try $0.insert(batch)
        }
        store.writeAsync(insert) { completions.add($0) }
        let result = completions.wait(for: 1)[0]
        #expect(code { _ = try result.get() } == .diskFull)
        #expect(try store.count(Account.self) == 1)
        store.writeAsync(insert) { completions.add($0) }
        #expect(completions.wait(for: 2).count == 2)
        #expect(try store.count(Account.self) == 5)
    }

    @Test func `S-060: leaves nothing for the next write`() throws {
        let disk = SimulatedDisk()
        let store = try open(disk)
        disk.inject(Fault(.write, reason: .noSpace, writtenBytes: 20))
        #expect(code { try store.write { try $0.insert(batch) } } == .diskFull)
        try store.write { try $0.insert(Account(id: 9)) }
        let found = try open(disk.killed())
        #expect(try found.all(Account.self).map(\.id) == [9])
        #expect(found.sequence == 1)
    }

    @Test func `S-075: tells the error handler when the background sync fails`() throws {
        let disk = SimulatedDisk()
        let errors = Monitor<[any Error]>([])
        var options = Store.Options()
        options.syncInterval = .milliseconds(1)
        options.onError = { error in errors.change { $0.append(error) } }
        let store = try open(disk, options)
        disk.inject(Fault(.syncFile, isLasting: true))
        try store.write { try $0.insert(Account(id: 1)) }
        let first = errors.wait { $0.first }
        #expect((first as? StoreError)?.code == .durabilityLost)
        #expect("\(first)".contains("errno 5"))
        #expect(code { try store.write { try $0.insert(batch) } } == .durabilityLost)
        #expect(throws: StoreError.self) { try store.close() }
        // The callback queue is serial: what was reported has arrived.
        options.callbackQueue.sync {}
        #expect(errors.withLock { $0.count } == 1)
    }

    @Test func `S-076: concerns only its own store`() throws {
        let disks = [SimulatedDisk(), SimulatedDisk()]
        let errors = Locked<[Int]>([])
        let queue = Store.Options().callbackQueue
        let stores = try disks.enumerated().map { number, disk in
            var options = Store.Options()
            options.callbackQueue = queue
            options.onError = { _ in errors.withLock { $0.append(number) } }
            return try open(disk, options)
        }
        disks[0].inject(Fault(.write, reason: .noSpace))
        for store in stores { store.writeAsync { try $0.insert(Account(id: 1)) } }
        for store in stores { try store.close() }
        queue.sync {}
        #expect(errors.withLock { $0 } == [0])
        #expect(try stores.map { try $0.count(Account.self) } == [0, 1])
    }
}

import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite(.inFiles) struct `Erasing a store` {
    @Test func `S-005: destroys only when it is asked to`() throws {
        let home = try Home(.disk)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let again = try home.reopened(store)
        #expect(try again.count(User.self) == 1)
        try again.destroy()
        #expect(try home.directory.contents() == [:])
        #expect(!FileManager.default.fileExists(atPath: home.directory.store.path))
        #expect(code { try again.write { try $0.insert(User.jane) } } == .closed)
        #expect(code { try again.destroy() } == .closed)
        #expect(try again.count(User.self) == 0)
        #expect(try home.open().count(User.self) == 0)
    }

    @Test func `S-005: destroys a closed store at its URL`() throws {
        let home = try Home(.disk)
        let url = home.directory.store
        #expect(code { try Store.destroy(at: url) } == .notAStore)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(code { try Store.destroy(at: url) } == .alreadyOpen)
        #expect(try store.count(User.self) == 1)
        try store.close()
        try Store.destroy(at: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(code { try Store.destroy(at: url) } == .notAStore)
    }

    @Test(arguments: Medium.allCases)
    func `S-005: destroys a store in memory as well`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        try store.destroy()
        #expect(try store.count(User.self) == 0)
        #expect(code { try store.write { try $0.insert(User.john) } } == .closed)
        #expect(try home.directory.contents().isEmpty)
    }

    @Test(arguments: Medium.allCases)
    func `S-006: leaves the same instance usable, with an empty history`(medium: Medium) throws {
        var home = try Home(medium)
        home.options.segmentBytesMax = 500
        var store = try home.open()
        for number in 1...40 { try store.write { try $0.insert(Account(id: number)) } }
        // An open store renames the files that it seals while they are read.
        if medium == .disk { try store.close() }
        let filesBefore = try home.directory.contents()
        store = try home.reopened(store)
        let before = store.snapshot
        try store.nuke()
        #expect(try store.count(Account.self) == 0)
        #expect(store.sequence == 0)
        #expect(try store.allEvents.isEmpty)
        #expect(try before.count(Account.self) == 40)
        #expect(try store.history(of: Account.self, 1).isEmpty)

        let new = Account(id: 1, amount: 7)
        #expect(try store.writeWithReceipt { try $0.insert(new) }.receipt.sequence == 1)
        #expect(try store.all(Account.self) == [new])
        let again = try home.reopened(store)
        #expect(try again.all(Account.self) == [new])
        #expect(again.sequence == 1)
        // Nothing of before is in any file.
        let old = filesBefore.filter { $0.key.contains("events/") }.map(\.value)
        #expect(medium == .memory || old.count > 1)
        #expect(try home.directory.contents().values.allSatisfy { !old.contains($0) })
    }

    @Test func `S-006: gives the store a new id`() throws {
        let home = try Home(.disk)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let copy = home.directory.url.appending(path: "Copy.skyros")
        try store.backup(to: copy)
        try store.nuke()
        try store.write { try $0.insert(User.john) }
        #expect(code { try store.backup(to: copy) } == .historyChanged)
    }

    @Test func `S-007: touches no file if the store is in memory`() throws {
        let home = try Home(.disk)
        let sentinel = try home.open()
        try sentinel.write { try $0.insert(User.john) }
        try sentinel.close()
        let before = try home.directory.contents()
        let store = try Home(.memory).open()
        try store.write { try $0.insert(User.jane) }
        try store.nuke()
        #expect(try store.count(User.self) == 0)
        try store.write { try $0.insert(User.mia) }
        #expect(try store.all(User.self) == [.mia])
        #expect(try home.directory.contents() == before)
    }

    @Test(arguments: Medium.allCases)
    func `S-008: completes each write in flight exactly once`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let completions = Completions()
        for number in 1...100 {
            store.writeAsync(durability: number % 2 == 0 ? .durable : .buffered) {
                try $0.insert(Account(id: number))
            } completion: {
                completions.add($0)
            }
        }
        try store.nuke()
        for number in 201...203 {
            store.writeAsync {
                try $0.insert(Account(id: number))
            } completion: {
                completions.add($0)
            }
        }
        let results = completions.wait(for: 103)
        home.options.callbackQueue.sync {}
        #expect(results.count == 103)
        let sequences = try results.compactMap { try $0.get().sequence?.rawValue }
        let expected: [UInt64] = [1, 1, 2, 2, 3, 3] + Array(4...100)
        #expect(sequences.sorted() == expected)
        #expect(try store.all(Account.self).map(\.id) == [201, 202, 203])
        #expect(try home.reopened(store).all(Account.self).map(\.id) == [201, 202, 203])
    }

    @Test(arguments: Medium.allCases)
    func `S-008: waits for the writes that other threads have queued`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let (gate, completions) = (Gate(), Completions())
        inParallel(1, threads: 1) { _ in
            for number in 1...500 {
                store.writeAsync {
                    if number == 1 { gate.pass() }
                    try $0.insert(Account(id: number))
                } completion: {
                    completions.add($0)
                }
            }
        }
        gate.waitUntilReached()
        gate.open()
        try store.nuke()
        let results = completions.wait(for: 500)
        #expect(try results.compactMap { try $0.get().sequence?.rawValue } == Array(1...500))
        #expect(try store.count(Account.self) == 0)
    }

    @Test(arguments: Medium.allCases, [true, false])
    func `S-006: ends streams and sequences of before with an error`(
        medium: Medium, isDestroyed: Bool
    ) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.writeSync { try $0.insert(User.john) }
        let sequence = store.events()
        let stream = store.changes(after: 0)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next()?.sequence == 1)
        // It waits, or begins to wait after the erasure: the outcome is the same.
        let waiting = Task {
            do {
                for try await _ in store.changes() {}
                return StoreError.Code?.none
            } catch {
                return (error as? StoreError)?.code
            }
        }
        if isDestroyed { try store.destroy() } else { try store.nuke() }
        #expect(code { _ = try Array(sequence) } == .erased)
        await #expect(throws: StoreError(.erased, "")) { try await iterator.next() }
        guard !isDestroyed else { return }
        try store.writeSync { try $0.insert(User.jane) }
        #expect(try store.allEvents.count == 1)
        var next = store.changes(after: 0).makeAsyncIterator()
        #expect(try await next.next()?.sequence == 1)
        waiting.cancel()
        _ = await waiting.value
    }

    @Test(arguments: Medium.allCases)
    func `S-006: is refused in a write block, and of a suspended store`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert(User.john)
            #expect(code { try store.nuke() } == .nestedWrite)
            #expect(code { try store.destroy() } == .nestedWrite)
        }
        store.suspend()
        #expect(code { try store.nuke() } == .suspended)
        #expect(code { try store.destroy() } == .suspended)
        try store.resume()
        #expect(try store.all(User.self) == [.john])
    }
}

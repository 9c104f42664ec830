import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `The threads of a child store` {
    @Test(arguments: Medium.allCases, Caller.allCases)
    func `S-088: a block runs on its caller's thread`(medium: Medium, caller: Caller) async throws {
        let home = try Home(medium)
        let child = try home.open().fork()
        let isMain = try await caller.run {
            try child.write { tx in
                try tx.insert(User.john)
                return Caller.isMain
            }
        }
        #expect(isMain == (caller == .main))
        #expect(try child.all(User.self) == [.john])
        try child.discard()
    }

    @Test(.long, arguments: Medium.allCases)
    func `S-088: many threads lose no increment`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork()
        try child.write { try $0.insert(Account(id: 1)) }
        let failures = Locked(0)
        inParallel(2_000, threads: 8) { _ in
            do {
                try child.write { tx in try tx.update(Account.self, 1) { $0.amount += 1 } }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        try child.merge()
        #expect(try home.reopened(store).get(Account.self, 1)?.amount == 2_000)
    }

    @Test(arguments: Medium.allCases)
    func `S-088: queued blocks run in order, before later calls of the thread`(
        medium: Medium
    ) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork()
        for id in 1...100 { child.writeAsync { try $0.insert(Account(id: id, amount: id)) } }
        try await child.merge()
        #expect(try store.count(Account.self) == 100)
        let sum = try await child.write { tx in
            try tx.all(Account.self).reduce(0) { $0 + $1.amount }
        }
        #expect(sum == 5_050)
        try await child.write { try $0.deleteAll(Account.self) }
        try await child.merge()
        #expect(try store.count(Account.self) == 0)
    }

    @Test(arguments: Medium.allCases)
    func `S-088: completions come on the callback queue, with the errors of blocks`(
        medium: Medium
    ) throws {
        let key = DispatchSpecificKey<Bool>()
        let home = try Home(medium)
        home.options.callbackQueue.setSpecific(key: key, value: true)
        let child = try home.open().fork()
        let calls = Monitor<[String]>([])
        child.writeAsync {
            try $0.insert(User.john)
        } completion: { result in
            let isOnQueue = DispatchQueue.getSpecific(key: key) == true
            calls.change { $0.append("\(isOnQueue) \((try? result.get()) != nil)") }
        }
        child.writeAsync { _ in
            throw Refused()
        } completion: { result in
            let isRefused = #expect(throws: Refused.self) { try result.get() } == Refused()
            calls.change { $0.append("\(isRefused)") }
        }
        #expect(calls.wait { $0.count == 2 ? $0 : nil } == ["true true", "true"])
        try child.discard()
        child.writeAsync {
            try $0.insert(User.jane)
        } completion: { result in
            let found = code { try result.get() }
            calls.change { $0.append("\(found == .discarded)") }
        }
        #expect(calls.wait { $0.count == 3 ? $0.last : nil } == "true")
    }

    @Test(arguments: Medium.allCases)
    func `S-088: reads do not wait for a block that runs`(medium: Medium) throws {
        let home = try Home(medium)
        let child = try home.open().fork()
        try child.write { try $0.insert(User.john) }
        let (gate, ended) = (Gate(), Gate())
        Thread.detachNewThread {
            try? child.write { tx in
                try tx.insert(User.jane)
                gate.pass()
            }
            ended.pass()
        }
        gate.waitUntilReached()
        #expect(try child.all(User.self) == [.john])
        gate.open()
        ended.waitUntilReached()
        ended.open()
        #expect(try child.count(User.self) == 2)
        try child.discard()
    }

    @Test(arguments: Medium.allCases)
    func `S-088: a write in a write block of the child is refused, and the block continues`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork()
        try child.write { tx in
            #expect(code { try child.write { _ in } } == .nestedWrite)
            // Another store's block may be nested, that of the parent included.
            try store.write { try $0.insert(User.jane) }
            try tx.insert(User.john)
        }
        #expect(try child.all(User.self) == [.john])
        try child.merge()
        #expect(try store.count(User.self) == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-088: chained calls run in order`(medium: Medium) throws {
        let home = try Home(medium)
        let child = try home.open().fork()
        var count = 0
        try child.writeSync { try $0.insert(User.john) }
            .writeSync { try $0.insert(User.jane) }
            .read { count = try $0.count(User.self) }
        #expect(count == 2)
        try child.discard()
    }
}

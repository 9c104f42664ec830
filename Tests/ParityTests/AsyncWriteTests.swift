import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `An asynchronous write` {
    @Test(arguments: Medium.allCases, Caller.allCases)
    func `S-044: returns without waiting and runs in the background`(
        medium: Medium, caller: Caller
    ) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let gate = Gate()
        let isMain = Locked<Bool?>(nil)
        let completions = Completions()
        let count = try await caller.run {
            store.writeAsync { tx in
                isMain.withLock { $0 = Caller.isMain }
                gate.pass()
                try tx.insert(User.john)
            } completion: {
                completions.add($0)
            }
            return try store.count(User.self)
        }
        #expect(count == 0)
        gate.open()
        completions.wait(for: 1)
        #expect(isMain.withLock { $0 } == false)
        #expect(try store.count(User.self) == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-049: completes once, on the callback queue, after the call`(medium: Medium) throws {
        let key = DispatchSpecificKey<Bool>()
        let home = try Home(medium)
        home.options.callbackQueue.setSpecific(key: key, value: true)
        let store = try home.open()
        let steps = Monitor<[String]>([])
        // The queue is serial: the completion cannot run before this block ends.
        home.options.callbackQueue.sync {
            store.writeAsync(durability: .durable) {
                try $0.insert(User.john)
            } completion: { result in
                let isOnQueue = DispatchQueue.getSpecific(key: key) == true
                let durability = (try? result.get())?.durability
                steps.change { $0.append("\(isOnQueue) \(durability == .durable)") }
            }
            steps.change { $0.append("returned") }
        }
        steps.wait { $0.count > 1 ? () : nil }
        // The queue is serial: a second call for the first write would come before this one.
        let completions = Completions()
        store.writeAsync(durability: .durable) {
            try $0.insert(User.jane)
        } completion: {
            completions.add($0)
        }
        completions.wait(for: 1)
        #expect(steps.withLock { $0 } == ["returned", "true true"])
    }

    @Test(arguments: Medium.allCases)
    func `S-051: that changes nothing completes and leaves no event`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write(by: "john", because: "nothing") { _ in }
        let completions = Completions()
        store.writeAsync(by: "john", because: "nothing") { _ in }
        store.writeAsync {
            try $0.deleteAll(User.self)
        } completion: {
            completions.add($0)
        }
        let result = completions.wait(for: 1)[0]
        #expect(try result.get().sequence == nil)
        #expect(store.sequence == 0)
        #expect(try home.reopened(store).allEvents.isEmpty)
    }

    @Test(arguments: Medium.allCases)
    func `S-053: is visible in its completion`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let count = Monitor<Int?>(nil)
        store.writeAsync {
            try $0.insert(User.john)
        } completion: { _ in
            let found = try? store.count(User.self)
            count.change { $0 = found ?? -1 }
        }
        let found = count.wait { $0 }
        #expect(found == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-054: runs in the order of the calls and never beside another`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let gate = Gate()
        let steps = Locked<[String]>([])
        let completions = Completions()
        for number in 1...3 {
            store.writeAsync { tx in
                steps.withLock { $0.append("begin \(number)") }
                if number == 1 { gate.pass() }
                try tx.insert(Account(id: number))
                steps.withLock { $0.append("end \(number)") }
            } completion: {
                completions.add($0)
            }
        }
        gate.waitUntilReached()
        #expect(steps.withLock { $0 } == ["begin 1"])
        gate.open()
        let sequences = try completions.wait(for: 3).map { try $0.get().sequence }
        #expect(sequences == [1, 2, 3])
        let expected = (1...3).flatMap { ["begin \($0)", "end \($0)"] }
        #expect(steps.withLock { $0 } == expected)
    }

    @Test(arguments: Medium.allCases)
    func `S-072: gives a Result, as others throw or return a Bool`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        #expect(try store.write { try $0.delete(User.john) } == false)
        #expect(code { try store.write { try $0.update(User.john) } } == .notFound)
        let completions = Completions()
        store.writeAsync {
            try $0.update(User.john)
        } completion: {
            completions.add($0)
        }
        store.writeAsync {
            try $0.insert(User.john)
        } completion: {
            completions.add($0)
        }
        let results = completions.wait(for: 2)
        #expect(code { _ = try results[0].get() } == .notFound)
        #expect(try results[1].get().sequence == 1)
        #expect(try store.write { try $0.delete(User.john) })
    }

    @Test(arguments: Medium.allCases)
    func `S-102: hands the block's own error to its completion once`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let completions = Completions()
        store.writeAsync { _ in
            throw Refused()
        } completion: {
            completions.add($0)
        }
        store.writeAsync {
            try $0.insert(User.john)
        } completion: {
            completions.add($0)
        }
        let results = completions.wait(for: 2)
        #expect(results.count == 2)
        #expect(throws: Refused()) { try results[0].get() }
        #expect(throws: Never.self) { try results[1].get() }
    }
}

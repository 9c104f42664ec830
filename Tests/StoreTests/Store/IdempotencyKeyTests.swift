import Dispatch
import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Order: Entity, Equatable {
    var id: Int
    var item = "tea"
}

private struct PlaceOrder: DomainCommand {
    var id: Int
    var item = "tea"
}

private struct CancelOrder: DomainCommand {
    var id: Int
    var item = "tea"
}

private struct Refusal: Error {}

@Suite struct `A write with an idempotency key` {
    private let clock = ManualClock()
    private let disk = SimulatedDisk()

    /// - Parameter isPrunable: whether a prune ends the segment, so that it removes all events.
    private func open(
        _ disk: SimulatedDisk? = nil, window: Duration? = nil, isPrunable: Bool = false
    ) throws -> Store {
        var options = Store.Options()
        if isPrunable { options.sealThresholdBytes = 1 }
        if let window { options.idempotencyWindow = window }
        options.syncInterval = .seconds(3_600)
        let environment = Environment(
            disk: disk ?? self.disk, clock: clock, entropy: SeededEntropy(seed: 1))
        return try Store.simulated([Order.self], options, environment)
    }

    @discardableResult
    private func place(
        _ id: Int, once key: String, in store: Store, durability: Durability? = nil
    ) throws -> Receipt {
        try store.write(once: key, intent: PlaceOrder(id: id), durability: durability) {
            try $0.insert(Order(id: id))
        }
    }

    private func refusal(_ body: () throws -> Void) -> StoreError? {
        failure(as: StoreError.self, body)
    }

    private func pass(_ seconds: Int64) {
        clock.advance(byMicroseconds: seconds * 1_000_000)
    }

    @Test func `runs its block once, and gives the first event each time`() throws {
        let store = try open()
        let first = try place(1, once: "r1", in: store)
        #expect(first.sequence == 1 && !first.isRepeated)
        #expect(try store.event(1)?.key == "r1")
        try store.write { try $0.insert(Order(id: 2)) }
        for _ in 1...2 {
            let again = try place(1, once: "r1", in: store)
            #expect(again.sequence == 1 && again.isRepeated)
        }
        #expect(store.sequence == 2)
        #expect(try store.event(2)?.key == nil)
        #expect(try !place(3, once: "r3", in: store).isRepeated)
    }

    @Test func `leaves an event if its block changes nothing, and none if it throws`() throws {
        let store = try open()
        #expect(throws: Refusal.self) { try store.write(once: "a") { _ in throw Refusal() } }
        #expect(store.sequence == 0)
        let first = try store.write(once: "a") { _ in }
        #expect(first.sequence == 1 && !first.isRepeated)
        let again = try store.write(once: "a") { try $0.insert(Order(id: 1)) }
        #expect(again.sequence == 1 && again.isRepeated)
        #expect(try store.count(FetchRequest<Order>()) == 0)
    }

    @Test func `is queued, and says in its completion whether its block has run`() throws {
        let store = try open()
        let results = Locked<[Result<Receipt, any Error>]>([])
        for (id, key) in [(1, "a"), (2, "a"), (3, "b"), (4, "")] {
            store.writeAsync(once: key, durability: id == 3 ? .durable : nil) { tx in
                try tx.insert(Order(id: id))
            } completion: { result in
                results.withLock { $0.append(result) }
            }
        }
        try store.close()
        store.resources.options.callbackQueue.sync {}
        let found = results.withLock { $0 }
        #expect(found.compactMap { try? $0.get().sequence } == [1, 1, 2])
        #expect(found.compactMap { try? $0.get().isRepeated } == [false, true, false])
        let refused = found.compactMap { result in
            failure(as: StoreError.self) { _ = try result.get() }?.code
        }
        #expect(refused == [.invalidInput])
    }

    @Test func `conflicts with another intent under the key`() throws {
        let store = try open()
        try place(1, once: "a", in: store)
        try store.write(once: "b") { try $0.insert(Order(id: 2)) }
        let intents: [(String, (any DomainCommand)?, SequenceNumber)] = [
            ("a", PlaceOrder(id: 2), 1), ("a", PlaceOrder(id: 1, item: "cake"), 1),
            ("a", CancelOrder(id: 1), 1), ("a", nil, 1), ("b", PlaceOrder(id: 1), 2),
        ]
        for (key, intent, sequence) in intents {
            let error = refusal {
                try store.write(once: key, intent: intent) { try $0.insert(Order(id: 9)) }
            }
            #expect(error?.code == .conflict)
            #expect(error?.place.sequences == sequence...sequence)
        }
        #expect(store.sequence == 2)
        // Who and why may differ.
        #expect(
            try store.write(once: "a", by: "bob", because: "again", intent: PlaceOrder(id: 1)) {
                _ in
            }.isRepeated)
    }

    @Test func `has a key of 1 to 256 bytes, which are compared one by one`() throws {
        let store = try open()
        for key in ["", String(repeating: "k", count: 257), String(repeating: "é", count: 129)] {
            let error = refusal { try store.write(once: key) { _ in } }
            #expect(error?.code == .invalidInput)
        }
        let keys = [
            String(repeating: "k", count: 256), "a", "A", "a ", "a\0", "\0", "\u{E9}", "e\u{301}",
            "\u{FEFF}a", "\u{1F30D}",
        ]
        for key in keys { #expect(try !store.write(once: key) { _ in }.isRepeated) }
        try store.close()
        let reopened = try open()
        #expect(reopened.recovery.checkpoint == .loaded(10))
        for (index, key) in keys.enumerated() {
            let receipt = try reopened.write(once: key) { _ in }
            #expect(receipt.isRepeated && receipt.sequence?.rawValue == UInt64(index + 1))
        }
        #expect(try Archive(on: disk).verify().problems == [])
    }

    @Test func `checks its condition if its block runs`() throws {
        let store = try open()
        try place(1, once: "a", in: store)
        let seen = store.sequence
        try store.write { try $0.insert(Order(id: 2)) }
        let receipt = try store.write(
            once: "a", intent: PlaceOrder(id: 1), expecting: .sequence(seen)
        ) { _ in }
        #expect(receipt.isRepeated)
        let error = refusal { try store.write(once: "b", expecting: .sequence(seen)) { _ in } }
        #expect(error?.code == .conflict)
        #expect(try !store.write(once: "b") { _ in }.isRepeated)
    }

    @Test func `may be undone, and is a repetition all the same`() throws {
        let store = try open()
        try place(1, once: "a", in: store)
        try store.write { try $0.delete(Order.self, 1) }
        #expect(try place(1, once: "a", in: store).isRepeated)
        #expect(try store.get(Order.self, 1) == nil)
    }

    // MARK: The window

    @Test(arguments: [false, true])
    func `is known for the window, and then its key may be used again`(isReopened: Bool) throws {
        var store = try open(window: .seconds(10))
        func reopen() throws {
            guard isReopened else { return }
            try store.close()
            store = try open(window: .seconds(10))
        }
        let first = try place(1, once: "a", in: store)
        pass(10)
        try reopen()
        #expect(try place(1, once: "a", in: store).isRepeated)
        clock.advance(byMicroseconds: 1)
        try reopen()
        let second = try place(2, once: "a", in: store)
        #expect(!second.isRepeated && second.sequence == first.sequence?.next)
        try reopen()
        #expect(try place(2, once: "a", in: store).sequence == second.sequence)
        // The intent is that of the second event.
        #expect(refusal { try place(1, once: "a", in: store) }?.code == .conflict)
    }

    @Test func `is known for longer by a clock that goes back`() throws {
        let store = try open(window: .seconds(10))
        pass(100)
        try place(1, once: "a", in: store)
        pass(-100)
        for _ in 1...10 {
            pass(9)
            #expect(try place(1, once: "a", in: store).isRepeated)
        }
    }

    @Test func `is not forgotten because of a clock that was ahead without a write`() throws {
        let store = try open(window: .seconds(10))
        try place(1, once: "a", in: store)
        pass(100)
        // The block would run, and throws.
        #expect(throws: Refusal.self) { try store.write(once: "a") { _ in throw Refusal() } }
        pass(-95)
        #expect(try place(1, once: "a", in: store).isRepeated)
    }

    @Test(arguments: [false, true])
    func `is found in the log by a store with a longer window than before`(
        hasCheckpoint: Bool
    ) throws {
        var store = try open(window: .seconds(10))
        for id in 1...8 {
            try place(id, once: "k\(id)", in: store)
            try store.write { try $0.insert(Order(id: 100 + id)) }
            pass(5)
        }
        try store.close()
        if !hasCheckpoint { disk.erase("checkpoint.sqlite") }
        store = try open(window: .seconds(21))
        #expect((store.recovery.checkpoint == .loaded(16)) == hasCheckpoint)
        for id in 5...8 { #expect(try place(id, once: "k\(id)", in: store).isRepeated) }
        // What was read from the log is in the next checkpoint.
        try store.write { try $0.insert(Order(id: 99)) }
        try store.close()
        #expect(try Archive(on: disk).verify().problems == [])
        store = try open(window: .seconds(21))
        #expect(store.recovery.checkpoint == .loaded(17))
        for id in 5...8 { #expect(try place(id, once: "k\(id)", in: store).isRepeated) }
        #expect(try !store.write(once: "k4") { _ in }.isRepeated)
    }

    @Test func `needs a window that is not negative`() throws {
        #expect(refusal { _ = try open(window: .seconds(-1)) }?.code == .invalidInput)
        // Without a window nothing is remembered.
        let store = try open(window: .zero)
        try store.write(once: "a") { _ in }
        pass(1)
        #expect(try !store.write(once: "a") { _ in }.isRepeated)
    }

    // MARK: Durability

    @Test func `is as durable as the repetition asks`() throws {
        let store = try open()
        try place(1, once: "a", in: store, durability: .deferred)
        #expect(try place(1, once: "a", in: store, durability: .deferred).durability == .deferred)
        let buffered = try place(1, once: "a", in: store, durability: .buffered)
        #expect(buffered.durability == .buffered && buffered.isRepeated)
        #expect(try open(disk.killed()).sequence == 1)
        let durable = try place(1, once: "a", in: store, durability: .durable)
        #expect(durable.durability == .durable && durable.isRepeated && durable.sequence == 1)
        #expect(try open(disk.crashed(keeping: 0)).sequence == 1)
        // Then nothing is left to do.
        let count = disk.operations.count
        try store.write(durability: .deferred) { try $0.insert(Order(id: 5)) }
        let again = try place(1, once: "a", in: store)
        #expect(again.durability == .durable)
        try again.waitUntilDurable()
        #expect(disk.operations.count == count)
    }

    @Test func `suspends a task until its event is durable`() async throws {
        let store = try open()
        let first = try await store.write(once: "a", durability: .durable) {
            try $0.insert(Order(id: 1))
        }
        let again = try await store.write(once: "a", durability: .durable) { _ in }
        #expect(!first.isRepeated && again.isRepeated && again.sequence == first.sequence)
        #expect(again.durability == .durable)
        await #expect(throws: StoreError.self) {
            try await store.write(once: "a", intent: PlaceOrder(id: 1)) { _ in }
        }
        await #expect(throws: StoreError.self) { try await store.write(once: "") { _ in } }
    }

    @Test func `runs once among many at the same time`() async throws {
        let store = try open()
        let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
            for _ in 1...20 {
                group.addTask { try await store.write(once: "a") { try $0.insert(Order(id: 1)) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.count { !$0.isRepeated } == 1)
        #expect(receipts.allSatisfy { $0.sequence == 1 })
        #expect(store.sequence == 1)
    }

    // MARK: Other sessions

    /// What is left of the first session.
    enum Ending: CaseIterable { case closed, killed, withoutCheckpoint, rebuilt }

    @Test(arguments: Ending.allCases)
    func `is known to the next opening`(ending: Ending) throws {
        let store = try open()
        try place(1, once: "a", in: store)
        try store.run(.checkpoint)
        try place(2, once: "b", in: store)
        var left = disk
        switch ending {
        case .closed: try store.close()
        case .killed: left = disk.killed()
        case .withoutCheckpoint:
            try store.close()
            left.erase("checkpoint.sqlite")
        case .rebuilt:
            try store.close()
            try Archive(on: disk).rebuildCheckpoint()
        }
        let again = try open(left)
        for (id, key) in [(1, "a"), (2, "b")] {
            let receipt = try place(id, once: key, in: again)
            #expect(receipt.isRepeated && receipt.sequence?.rawValue == UInt64(id))
            #expect(refusal { try place(9, once: key, in: again) }?.code == .conflict)
        }
        try place(3, once: "c", in: again)
        try again.close()
        #expect(try Archive(on: left).verify().problems == [])
    }

    @Test(arguments: [false, true])
    func `is known to a suspended store that resumes`(isClosed: Bool) throws {
        let directory = try TemporaryDirectory()
        func open() throws -> Store { try Store(at: directory.store, entities: Order.self) }
        let store = try open()
        try place(1, once: "a", in: store)
        store.suspend()
        let other = try open()
        #expect(try place(1, once: "a", in: other).isRepeated)
        try place(2, once: "b", in: other)
        if isClosed { try other.close() } else { other.suspend() }
        try store.resume()
        for (id, key) in [(1, "a"), (2, "b")] {
            #expect(try place(id, once: key, in: store).sequence?.rawValue == UInt64(id))
        }
        try place(3, once: "c", in: store)
        try store.close()
        #expect(try Archive(at: directory.store).verify().problems == [])
        #expect(try place(3, once: "c", in: open()).isRepeated)
    }

    @Test func `is repeated also if its condition is about history that was pruned`() throws {
        let store = try open(isPrunable: true)
        let condition = WriteCondition.unchanged(FetchRequest<Order>(), since: 1)
        try place(1, once: "a", in: store)
        func cancel() throws -> Receipt {
            try store.write(once: "b", expecting: condition) { try $0.delete(Order.self, 1) }
        }
        #expect(try !cancel().isRepeated)
        #expect(try store.prune(before: .distantFuture) != nil)
        #expect(refusal { try store.write(expecting: condition) { _ in } }?.code == .belowFloor)
        let again = try cancel()
        #expect(again.isRepeated && again.sequence == 2)
        // The key is used while the second call waits for the writer lock.
        let results = Locked<[Result<Receipt, any Error>]>([])
        try store.write { _ in
            for condition in [nil, condition] {
                store.writeAsync(once: "c", expecting: condition) { _ in
                } completion: { result in
                    results.withLock { $0.append(result) }
                }
            }
        }
        try store.close()
        store.resources.options.callbackQueue.sync {}
        #expect(try results.withLock { $0 }.map { try $0.get().isRepeated } == [false, true])
    }

    @Test func `is forgotten with the history`() throws {
        let store = try open()
        try place(1, once: "a", in: store)
        try store.run(.checkpoint)
        try store.nuke()
        #expect(try !place(1, once: "a", in: store).isRepeated)
        try store.close()
        #expect(try open().sequence == 1)
    }

    @Test func `is known to a store in memory`() throws {
        let store = try Store(inMemory: Order.self)
        #expect(try !place(1, once: "a", in: store).isRepeated)
        #expect(try place(1, once: "a", in: store).isRepeated)
    }
}

import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// The queue of asynchronous write blocks: its bound, and its turns with threads that wait.
@Suite(.mayHang) struct `The queue of write blocks` {
    private let store: Store
    private let gate = Monitor(false)
    private let order = Locked<[String]>([])

    init() throws {
        store = try Store(inMemory: Counter.self)
    }

    /// Lets a block hold the store until `gate` opens.
    private func hold() {
        let begun = Monitor(false)
        store.writeAsync { [gate] _ in
            begun.change { $0 = true }
            gate.wait { $0 ? () : nil }
        }
        begun.wait { $0 ? () : nil }
    }

    private func note(_ name: String) { order.withLock { $0.append(name) } }

    @Test func `refuses a block beyond its limit, and runs all others (F75)`() throws {
        hold()
        let max = WriterLockState.queuedJobsMax
        let outcomes = Monitor<[Result<Receipt, any Error>]>([])
        for number in 0..<max + 5 {
            store.writeAsync {
                try $0.insert(Counter(id: "\(number)", value: number))
            } completion: { result in
                outcomes.change { $0.append(result) }
            }
        }
        // The refused ones complete while the others still wait.
        let refused = outcomes.wait { $0.count >= 5 ? $0 : nil }
        #expect(refused.count == 5)
        for result in refused {
            #expect(throws: StoreError(.limitExceeded, "")) { try result.get() }
        }
        gate.change { $0 = true }
        outcomes.wait { $0.count == max + 5 ? () : nil }
        #expect(try store.count(Counter.self) == max)
        // There is space again.
        store.writeAsync { try $0.insert(Counter(id: "later", value: 0)) }
        try store.close()
        #expect(try store.exists(Counter.self, "later"))
    }

    @Test func `tells the error handler of a refused block without completion (F75)`() throws {
        let errors = Locked<[any Error]>([])
        var options = Store.Options()
        options.onError = { error in errors.withLock { $0.append(error) } }
        let store = try Store(inMemory: Counter.self, options: options)
        let begun = Monitor(false)
        store.writeAsync { [gate] _ in
            begun.change { $0 = true }
            gate.wait { $0 ? () : nil }
        }
        begun.wait { $0 ? () : nil }
        for _ in 0..<WriterLockState.queuedJobsMax + 1 { store.writeAsync { _ in } }
        store.writeAsync(once: "a") { _ in }
        options.callbackQueue.sync {}
        let codes = errors.withLock { $0.map { ($0 as? StoreError)?.code } }
        #expect(codes == [.limitExceeded, .limitExceeded])
        gate.change { $0 = true }
    }

    @Test func `takes every block of a task that waits for it (F75)`() async throws {
        hold()
        for _ in 0..<WriterLockState.queuedJobsMax { store.writeAsync { _ in } }
        async let count = store.write { tx in
            try tx.insert(Counter(id: "a", value: 1))
            return try tx.count(Counter.self)
        }
        gate.change { $0 = true }
        #expect(try await count == 1)
    }

    /// A thread that waits, and blocks that were queued before it came.
    private func turns(queuedBy caller: (@escaping @Sendable () -> Void) -> Void) throws {
        hold()
        caller { [store, order] in
            for number in 0..<2_000 {
                store.writeAsync { _ in order.withLock { $0.append("block \(number)") } }
            }
        }
        DispatchQueue(label: "opener").async { [gate, lock = store.writer.lock] in
            while lock.state.withLock({ $0.threads.isEmpty }) { sched_yield() }
            gate.change { $0 = true }
        }
        try store.writeSync { _ in note("thread") }
        try store.close()
    }

    @Test func `lets a thread that waits in after few blocks (F75)`() throws {
        try turns { body in Thread.detached(body) }
        let place = order.withLock { $0.firstIndex(of: "thread") }
        #expect(try #require(place) <= 64)
        #expect(order.withLock { $0.count } == 2_001)
        #expect(
            order.withLock { $0.filter { $0 != "thread" } } == (0..<2_000).map { "block \($0)" })
    }

    @Test func `keeps the order of a thread's own blocks and writes (F75)`() throws {
        try turns { body in body() }
        #expect(order.withLock { $0.last } == "thread")
        #expect(order.withLock { $0.count } == 2_001)
    }

    @Test func `keeps the order of a task's own blocks and writes (F75)`() async throws {
        hold()
        let task = Task { [store, order] in
            for number in 0..<100 {
                store.writeAsync { _ in order.withLock { $0.append("block \(number)") } }
                // The task may continue on another thread.
                await Task.yield()
            }
            gate.change { $0 = true }
            try store.writeSync { _ in order.withLock { $0.append("thread") } }
        }
        try await task.value
        #expect(order.withLock { $0.last } == "thread" && order.withLock { $0.count } == 101)
    }

    @Test func `is emptied before the store closes (F75)`() throws {
        hold()
        let other = Monitor(false)
        DispatchQueue(label: "other").async { [store] in
            for number in 0..<1_000 {
                store.writeAsync { try $0.insert(Counter(id: "\(number)", value: 1)) }
            }
            other.change { $0 = true }
        }
        other.wait { $0 ? () : nil }
        DispatchQueue(label: "opener").async { [gate] in gate.change { $0 = true } }
        try store.close()
        #expect(try store.count(Counter.self) == 1_000)
    }
}

extension Thread {
    /// Runs `body` on a new thread and waits for its end.
    fileprivate static func detached(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = Monitor(false)
        detachNewThread {
            body()
            hasEnded.change { $0 = true }
        }
        hasEnded.wait { $0 ? () : nil }
    }
}

@Suite struct `Completions of durable writes` {
    /// The event of the second is durable before its completion is asked for.
    @Test func `come in the order of their events (F75)`() throws {
        let disk = SimulatedDisk()
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        let store = try Store(on: disk, entities: Counter.self, options: options)
        let order = Monitor<[Int]>([])
        for number in 0..<200 {
            store.writeAsync(durability: .durable) {
                try $0.insert(Counter(id: "\(number)", value: number))
            } completion: { _ in
                order.change { $0.append(number) }
            }
            // Another thread's sync makes some of the events durable early.
            if number % 3 == 0 { try store.write(durability: .durable) { _ in } }
        }
        order.wait { $0.count == 200 ? () : nil }
        #expect(order.withLock { $0 } == Array(0..<200))
        try store.close()
    }

    @Test func `wait for those before them, even if nothing is left to sync (F75)`() throws {
        let log = MemoryLog(MemoryLog.Contents(StoreID(from: SystemEntropy())))
        let queue = SerialQueue()
        let syncer = LogSyncer(
            log, on: queue, intervalMilliseconds: 0, idleMilliseconds: 0, onIdle: {}, timer: nil
        ) { _ in }
        let gate = Monitor(false)
        let order = Monitor<[Int]>([])
        syncer.whenDurable(isDurable: false) { _ in
            gate.wait { $0 ? () : nil }
            order.change { $0.append(1) }
        }
        // The first is being called, or waits for it.
        syncer.whenDurable(isDurable: true) { _ in order.change { $0.append(2) } }
        #expect(order.withLock { $0 } == [])
        gate.change { $0 = true }
        order.wait { $0.count == 2 ? () : nil }
        #expect(order.withLock { $0 } == [1, 2])
        syncer.stop()
    }
}

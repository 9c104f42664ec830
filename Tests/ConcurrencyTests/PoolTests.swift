import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// All threads of the pool block in a write: the store must not need one of them to make progress.
@Suite struct `Writes that block every thread of the pool` {
    private static let roundCount = Extent.pick(brief: 10, quick: 100, deep: 1_000)
    /// More than the pool has threads.
    private static let callCount = 2 * ProcessInfo.processInfo.activeProcessorCount + 2

    @Test func `return although they outnumber the threads of the pool (F48)`() async throws {
        let store = try Store(on: SimulatedDisk(), entities: Counter.self)
        try await guarded {
            for round in 0..<Self.roundCount { try await Self.writeInTasks(to: store, round) }
        }
        #expect(try store.count(Counter.self) == Self.roundCount * Self.callCount)
        try store.close()
    }

    private static func writeInTasks(to store: Store, _ round: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for call in 0..<callCount {
                group.addTask {
                    let counter = Counter(id: "\(round) \(call)", value: call)
                    try store.write(durability: .durable) { try $0.insert(counter) }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `return on the main actor too (F48)`() async throws {
        let store = try Store(on: SimulatedDisk(), entities: Counter.self)
        try await Self.writeOnMainActor(to: store, Self.roundCount)
        #expect(try store.count(Counter.self) == Self.roundCount)
        try store.close()
    }

    @MainActor private static func writeOnMainActor(to store: Store, _ count: Int) throws {
        for number in 0..<count {
            try store.write(durability: .durable) {
                try $0.insert(Counter(id: "\(number)", value: number))
            }
        }
    }

    @Test func `return on the threads of a dispatch queue too (F48)`() async throws {
        let store = try Store(on: SimulatedDisk(), entities: Counter.self)
        let outcomes = Monitor<[Bool]>([])
        for round in 0..<Self.roundCount {
            for call in 0..<Self.callCount {
                DispatchQueue.global().async {
                    let counter = Counter(id: "\(round) \(call)", value: call)
                    let result = Result {
                        try store.write(durability: .durable) { try $0.insert(counter) }
                    }
                    outcomes.change { $0.append((try? result.get()) != nil) }
                }
            }
        }
        let count = Self.roundCount * Self.callCount
        let all = await guarded { outcomes.wait { $0.count == count ? $0 : nil } }
        #expect(all.allSatisfy { $0 })
        #expect(try store.count(Counter.self) == Self.roundCount * Self.callCount)
        try store.close()
    }
}

/// Tasks that are cancelled while they write.
@Suite(.mayHang) struct `A write whose task is cancelled` {
    @Test func `is applied completely or not at all, as its result says (F49)`() async throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Counter.self)
        let count = Extent.pick(brief: 40, quick: 400, deep: 4_000)
        var written: Set<String> = []
        for number in 0..<count {
            let task = Task {
                // Cancelled before it begins, while it waits, or after it has ended.
                try await store.writeWithReceipt(
                    durability: number % 2 == 0 ? .durable : .buffered
                ) {
                    try $0.insert(Counter(id: "a \(number)", value: number))
                    try $0.insert(Counter(id: "b \(number)", value: number))
                }
            }
            for _ in 0..<number % 5 { await Task.yield() }
            task.cancel()
            if case .success(let (_, receipt)) = await task.result {
                #expect(receipt.sequence != nil)
                written.formUnion(["a \(number)", "b \(number)"])
            }
        }
        let found = Set(try store.all(Counter.self).map(\.id))
        #expect(found == written)
        try store.close()
        let again = try Store(on: disk, entities: Counter.self)
        #expect(Set(try again.all(Counter.self).map(\.id)) == written)
    }

    @Test func `can still wait for its durability (F49)`() async throws {
        let store = try Store(on: SimulatedDisk(), entities: Counter.self)
        for number in 0..<Extent.pick(brief: 20, quick: 200) {
            let write = try await store.writeWithReceipt {
                try $0.insert(Counter(id: "\(number)", value: number))
            }
            let task = Task { try await write.receipt.waitUntilDurable() }
            task.cancel()
            _ = try await task.value
        }
        try store.close()
    }
}

/// A store that is closed while others write.
@Suite(.mayHang) struct `A store that is closed during writes` {
    private static let runCount = Extent.pick(brief: 10, quick: 100, deep: 1_000)

    private struct Progress: Sendable {
        static let levels = [Durability.deferred, .buffered, .durable]
        var counts: [Durability: Int] = [:]
        var endedCount = 0

        /// The number of writes of the slowest thread.
        var least: Int { Self.levels.map { counts[$0, default: 0] }.min() ?? 0 }
    }

    /// Writes until a write fails, and returns that error.
    private static func write(
        to store: Store, _ level: Durability, onWrite: (String) -> Void
    ) -> StoreError {
        for number in 0... {
            let id = "\(level) \(number)"
            do {
                try store.write(durability: level) {
                    try $0.insert(Counter(id: id, value: number))
                }
                onWrite(id)
            } catch {
                return error as? StoreError ?? StoreError(.io, "\(error)")
            }
        }
        preconditionFailure("unreachable: the loop has no end")
    }

    @Test func `applies each write completely or refuses it (F53)`() throws {
        for run in 0..<Self.runCount {
            let disk = SimulatedDisk()
            let store = try Store(on: disk, entities: Counter.self)
            let written = Locked<Set<String>>([])
            let wrong = Locked<[String]>([])
            let progress = Monitor(Progress())
            for level in Progress.levels {
                Thread.detachNewThread {
                    let error = Self.write(to: store, level) { id in
                        written.withLock { _ = $0.insert(id) }
                        progress.change { $0.counts[level, default: 0] += 1 }
                    }
                    if error.code != .closed { wrong.withLock { $0.append("\(error)") } }
                    progress.change { $0.endedCount += 1 }
                }
            }
            // Every thread has written some events.
            progress.wait { $0.least > run % 20 ? () : nil }
            try store.close()
            progress.wait { $0.endedCount == Progress.levels.count ? () : nil }
            #expect(wrong.withLock { $0 } == [])
            let again = try Store(on: disk.crashed(seed: UInt64(run)), entities: Counter.self)
            #expect(Set(try again.all(Counter.self).map(\.id)) == written.withLock { $0 })
        }
    }

    @Test func `completes each asynchronous write exactly once (F53)`() async throws {
        for run in 0..<Self.runCount {
            let disk = SimulatedDisk()
            let store = try Store(on: disk, entities: Counter.self)
            let outcomes = Monitor<[Int: Bool]>([:])
            let count = 20
            for number in 0..<count {
                if number == run % count { Thread.detachNewThread { try? store.close() } }
                store.writeAsync(durability: number % 2 == 0 ? .durable : .buffered) {
                    try $0.insert(Counter(id: "\(number)", value: number))
                } completion: { result in
                    outcomes.change { outcomes in
                        precondition(
                            outcomes[number] == nil, "completion \(number) was called twice")
                        if case .success = result {
                            outcomes[number] = true
                        } else {
                            outcomes[number] = false
                        }
                    }
                }
            }
            let all = outcomes.wait { $0.count == count ? $0 : nil }
            try store.close()
            let again = try Store(on: disk.crashed(seed: UInt64(run)), entities: Counter.self)
            let found = Set(try again.all(Counter.self).map(\.value))
            #expect(found == Set(all.filter(\.value).keys))
        }
    }
}

/// A reader that holds its snapshot while others write.
@Suite(.mayHang) struct `A long read` {
    @Test func `blocks no writer and sees no later write (F52)`() async throws {
        let store = try Store(inMemory: Counter.self)
        for number in 0..<100 {
            try store.writeSync { try $0.insert(Counter(id: "\(number)", value: 0)) }
        }
        let count = Extent.pick(brief: 500, quick: 5_000, deep: 500_000)
        try store.read { snapshot in
            let digest = try snapshot.digest()
            let written = Monitor(0)
            Thread.detachNewThread {
                for number in 0..<count {
                    try? store.write { tx in
                        try tx.update(Counter.self, "\(number % 100)") { $0.value += 1 }
                    }
                }
                written.change { $0 = count }
            }
            // The read lasts until the writer has written everything.
            written.wait { $0 == count ? () : nil }
            #expect(try snapshot.digest() == digest)
            #expect(try snapshot.all(Counter.self).allSatisfy { $0.value == 0 })
        }
        #expect(try store.all(Counter.self).reduce(0) { $0 + $1.value } == count)
    }
}

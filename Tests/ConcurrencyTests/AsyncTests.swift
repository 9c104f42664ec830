import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `An asynchronous write` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Note.self, Counter.self)
    }

    @Test func `gives its result and a receipt`() async throws {
        let (count, receipt) = try await store.writeWithReceipt(durability: .durable) { tx in
            try tx.insert(Note(id: 1, text: "a"))
            return try tx.count(Note.self)
        }
        #expect(count == 1)
        #expect(receipt.sequence == 1)
        #expect(receipt.durability == .durable)
        #expect(try store.count(Note.self) == 1)
    }

    @Test func `throws what its block throws`() async throws {
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) {
            try await store.write { _ in throw Refusal() }
        }
    }

    @Test func `returns immediately and completes exactly once, on the callback queue`()
        async throws
    {
        let gate = DispatchSemaphore(value: 0)
        let count = Locked(0)
        let result = await withCheckedContinuation { continuation in
            store.writeAsync { tx in
                gate.wait()
                try tx.insert(Note(id: 1, text: "a"))
            } completion: { result in
                count.withLock { $0 += 1 }
                continuation.resume(returning: result)
            }
            // Reached only because `writeAsync` has returned.
            gate.signal()
        }
        #expect(try result.get().sequence == 1)
        try store.close()
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `completes with the error of its block`() async {
        struct Refusal: Error {}
        let result = await withCheckedContinuation { continuation in
            store.writeAsync { _ in
                throw Refusal()
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(throws: Refusal.self) { try result.get() }
    }

    @Test func `without a completion reports an error to the error handler`() async throws {
        struct Refusal: Error {}
        let reported = Locked<[any Error]>([])
        var options = Store.Options()
        options.onError = { error in reported.withLock { $0.append(error) } }
        let store = try Store(inMemory: Note.self, options: options)
        store.writeAsync { _ in throw Refusal() }
        store.writeAsync { try $0.insert(Note(id: 1, text: "")) }
        try store.close()
        options.callbackQueue.sync {}
        #expect(reported.withLock { $0.count } == 1)
        #expect(reported.withLock { $0.first is Refusal })
        #expect(try store.exists(Note.self, 1))
    }

    @Test func `completes with an error if its intent cannot be encoded`() async {
        struct Unencodable: DomainCommand {
            struct Failure: Error {}

            func encode(to encoder: any Encoder) throws { throw Failure() }
        }
        let result = await withCheckedContinuation { continuation in
            store.writeAsync(intent: Unencodable()) {
                try $0.insert(Note(id: 1, text: ""))
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(throws: StoreError(.notEncodable, "")) { try result.get() }
        #expect(store.sequence == .zero)
    }

    @Test func `that changes nothing still completes`() async {
        let result = await withCheckedContinuation { continuation in
            store.writeAsync { _ in
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect((try? result.get())?.sequence == .some(nil))
    }

    @Test func `runs in the order of the calls`() throws {
        let order = Locked<[Int]>([])
        let gate = DispatchSemaphore(value: 0)
        store.writeAsync { _ in gate.wait() }
        for number in 0..<20 {
            store.writeAsync { tx in
                try tx.insert(Note(id: number, text: ""))
                order.withLock { $0.append(number) }
            }
        }
        gate.signal()
        let count = try store.write { try $0.count(Note.self) }
        #expect(count == 20)
        #expect(order.withLock { $0 } == Array(0..<20))
    }

    @Test func `refuses a nested write in its block`() async throws {
        let store = store
        try await store.write { tx in
            #expect(throws: StoreError(.nestedWrite, "")) {
                try store.write { try $0.insert(Note(id: 9, text: "")) }
            }
            try tx.insert(Note(id: 1, text: ""))
        }
        #expect(try store.count(Note.self) == 1)
    }

    @Test func `takes its metadata from the context of the call`() async throws {
        let store = store
        await withCheckedContinuation { continuation in
            Store.withMetadata(actor: "caller") {
                store.writeAsync {
                    try $0.insert(Note(id: 1, text: ""))
                } completion: { _ in
                    continuation.resume()
                }
            }
        }
        #expect(try store.event(1)?.metadata.actor == "caller")
    }
}

@Suite struct `Many writers` {
    @Test func `lose no increment (F50, F51)`() throws {
        let store = try Store(inMemory: Counter.self)
        try store.write { try $0.insert(Counter(id: "c", value: 0)) }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<250 {
                do {
                    try store.write { try $0.update(Counter.self, "c") { $0.value += 1 } }
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(try store.get(Counter.self, "c")?.value == 2_000)
        #expect(store.sequence == 2_001)
    }
}

@Suite struct `The stream of events` {
    @Test func `starts after the given event and continues with live events`() async throws {
        let store = try Store(inMemory: Note.self)
        for id in 1...300 { try store.writeSync { try $0.insert(Note(id: id, text: "")) } }
        let task = Task {
            var seen: [UInt64] = []
            for try await event in store.changes(after: 199) {
                seen.append(event.sequence.rawValue)
                if event.sequence == 400 { break }
            }
            return seen
        }
        for id in 301...400 { try store.writeSync { try $0.insert(Note(id: id, text: "")) } }
        #expect(try await task.value == Array(200...400))
    }

    @Test func `ends when the store is closed`() async throws {
        let store = try Store(inMemory: Note.self)
        try store.writeSync { try $0.insert(Note(id: 1, text: "")) }
        let stream = store.changes(after: 0)
        try store.close()
        var count = 0
        for try await _ in stream { count += 1 }
        #expect(count == 1)
    }

    @Test func `can have several independent iterators`() async throws {
        let store = try Store(inMemory: Note.self)
        for id in 1...2 { try store.writeSync { try $0.insert(Note(id: id, text: "")) } }
        let stream = store.changes(after: 0)
        var first = stream.makeAsyncIterator()
        var second = stream.makeAsyncIterator()
        #expect(try await first.next()?.sequence == 1)
        #expect(try await first.next()?.sequence == 2)
        #expect(try await second.next()?.sequence == 1)
        try store.close()
        #expect(try await first.next() == nil)
        #expect(try await second.next()?.sequence == 2)
    }

    @Test func `ends when its task is cancelled`() async throws {
        let store = try Store(inMemory: Note.self)
        let task = Task {
            var count = 0
            for try await _ in store.events() { count += 1 }
            return count
        }
        task.cancel()
        #expect(try await task.value == 0)
    }
}

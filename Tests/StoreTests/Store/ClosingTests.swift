import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Skyros

/// Waiters at the time a store closes, reads after that, and resources that must be released.
@Suite struct `A store that closes` {
    /// Counts calls from any thread.
    private final class Count: Sendable {
        let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        var now: Int { value.load(ordering: .relaxed) }
    }

    /// Counts its own living instances.
    private final class Token: Sendable {
        let living: Count
        init(_ living: Count) {
            self.living = living
            living.add()
        }
        deinit { living.value.subtract(1, ordering: .relaxed) }
    }

    @Test func `notifies waiters that came during the last sync (F53)`() throws {
        let store = try Store(inMemory: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        let notified = Count()
        let (entered, mayGo, stopped) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        // Blocks the syncer's thread while it notifies waiters.
        store.syncer.whenDurable(isDurable: false) { _ in
            entered.signal()
            mayGo.wait()
            notified.add()
        }
        entered.wait()
        store.syncer.whenDurable(isDurable: false) { _ in notified.add() }
        Thread.detachNewThread {
            store.syncer.stop()
            stopped.signal()
        }
        // Once `stop` has begun, `whenDurable` calls back immediately.
        var registered = 2
        var isStopping = false
        while !isStopping {
            let before = notified.now
            store.syncer.whenDurable(isDurable: false) { _ in notified.add() }
            registered += 1
            isStopping = notified.now > before
        }
        mayGo.signal()
        stopped.wait()
        #expect(notified.now == registered)
    }

    @Test func `still answers reads of the present and of the past`() async throws {
        let directory = try TemporaryDirectory()
        var options = Store.Options()
        options.segmentBytesMax = 4_096
        let store = try Store(at: directory.store, entities: Note.self, options: options)
        for number in 1...300 {
            try store.writeSync { try $0.upsert(Note(id: 1, text: "\(number)")) }
        }
        var changes = store.changes(after: 0).makeAsyncIterator()
        #expect(try await changes.next()?.sequence == 1)
        try store.close()
        #expect(try store.get(Note.self, 1)?.text == "300")
        #expect(try store.history(of: Note.self, 1).count == 300)
        #expect(try store.event(7)?.sequence == 7)
        #expect(try store.snapshot(asOf: .sequence(150)).get(Note.self, 1)?.text == "150")
        var last: SequenceNumber?
        while let event = try await changes.next() { last = event.sequence }
        #expect(last == 300)
    }

    #if os(Linux)
        @Test func `keeps no file open for a sealed segment`() throws {
            let directory = try TemporaryDirectory()
            var options = Store.Options()
            options.segmentBytesMax = 4_096
            let store = try Store(at: directory.store, entities: Note.self, options: options)
            for number in 1...2_000 {
                try store.write { try $0.upsert(Note(id: number, text: "\(number)")) }
            }
            try store.close()
            let again = try Store(at: directory.store, entities: Note.self, options: options)
            #expect(try again.history(of: Note.self, 2_000).count == 1)
            let sealed = try FileManager.default
                .contentsOfDirectory(atPath: directory.store.appending(path: "events").path)
                .filter { $0.hasSuffix(".zst") }
            #expect(sealed.count > 10)
            let descriptors = "/proc/self/fd"
            let open = try FileManager.default.contentsOfDirectory(atPath: descriptors).filter {
                let path = try? FileManager.default
                    .destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
                return path?.hasPrefix(directory.store.path) == true
                    && path?.hasSuffix(".zst") == true
            }
            #expect(open == [])
        }
    #endif

    @Test func `releases each asynchronous write soon after its completion`() throws {
        let store = try Store(inMemory: Note.self)
        let living = Count()
        let livingThen = Atomic(0)
        let done = DispatchSemaphore(value: 0)
        let count = 400
        try store.write { _ in
            for number in 0..<count {
                let token = Token(living)
                store.writeAsync {
                    try $0.insert(Note(id: number, text: ""))
                    withExtendedLifetime(token) {}
                } completion: { _ in
                    guard number == 300 else { return }
                    livingThen.store(living.now, ordering: .relaxed)
                    done.signal()
                }
            }
        }
        done.wait()
        // 100 writes still wait; of the 300 completed ones, the queue may still hold some.
        #expect(livingThen.load(ordering: .relaxed) < 250)
    }
}

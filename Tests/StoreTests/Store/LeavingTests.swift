import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Skyros

/// What becomes of those who wait when a store closes, and of what has been served.
@Suite struct `A store that closes` {
    /// Counts calls from any thread.
    private final class Count: Sendable {
        let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        var now: Int { value.load(ordering: .relaxed) }
    }

    /// How many of its kind are alive.
    private final class Token: Sendable {
        let living: Count
        init(_ living: Count) {
            self.living = living
            living.add()
        }
        deinit { living.value.subtract(1, ordering: .relaxed) }
    }

    @Test func `tells those who came while the last sync was under way (F53)`() throws {
        let store = try Store(inMemory: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        let told = Count()
        let (entered, mayGo, stopped) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        // Holds the syncer's thread in the midst of serving.
        store.syncer.whenDurable { _ in
            entered.signal()
            mayGo.wait()
            told.add()
        }
        entered.wait()
        store.syncer.whenDurable { _ in told.add() }
        Thread.detachNewThread {
            store.syncer.stop()
            stopped.signal()
        }
        // Who comes after the end was announced is served on the spot.
        var asked = 2
        var isAnnounced = false
        while !isAnnounced {
            let before = told.now
            store.syncer.whenDurable { _ in told.add() }
            asked += 1
            isAnnounced = told.now > before
        }
        mayGo.signal()
        stopped.wait()
        #expect(told.now == asked)
    }

    @Test func `can still be asked about its past`() async throws {
        let directory = try TemporaryDirectory()
        var options = Store.Options()
        options.segmentBytesMax = 4_096
        let store = try Store(at: directory.store, entities: Note.self, options: options)
        for number in 1...300 {
            try store.writeSync { try $0.upsert(Note(id: 1, text: "\(number)")) }
        }
        var behind = store.changes(after: 0).makeAsyncIterator()
        #expect(try await behind.next()?.sequence == 1)
        try store.close()
        #expect(try store.get(Note.self, 1)?.text == "300")
        #expect(try store.history(of: Note.self, 1).count == 300)
        #expect(try store.event(7)?.sequence == 7)
        #expect(try store.snapshot(asOf: .sequence(150)).get(Note.self, 1)?.text == "150")
        var last: SequenceNumber?
        while let event = try await behind.next() { last = event.sequence }
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

    @Test func `has let go of the writes that were served`() throws {
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
        // A hundred wait; of those that were served, half of the line may not be gone yet.
        #expect(livingThen.load(ordering: .relaxed) < 250)
    }
}

import Foundation
import Synchronization
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

    @Test func `tells those who came while the last sync was under way`() throws {
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

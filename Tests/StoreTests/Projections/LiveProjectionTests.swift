import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// The number of notes.
private struct Count: Projection, Equatable {
    var count = 0
    mutating func apply(_ event: AppliedEvent) throws {
        count = try event.stateAfter.count(Note.self)
    }
}

@Suite(.mayHang) struct `The live value of a projection` {
    private func write(_ store: Store, _ id: Int, _ text: String = "") throws {
        try store.write { try $0.upsert(Note(id: id, text: text)) }
    }

    @Test func `comes after each event that changes it`() async throws {
        let store = try Store.projecting(on: SimulatedDisk(), Count.self)
        var values = store.live(Count.self).makeAsyncIterator()
        #expect(try await values.next() == Count(count: 0))
        for id in 1...5 {
            try write(store, id)
            #expect(try await values.next() == Count(count: id))
            // Changes no number.
            try write(store, id, "again")
        }
        try store.close()
        #expect(try await values.next() == nil)
        #expect(try await values.next() == nil)
    }

    @Test func `ends with an erasure, and shows nothing of the next history`() async throws {
        let store = try Store.projecting(on: SimulatedDisk(), Count.self)
        try write(store, 1)
        var values = store.live(Count.self).makeAsyncIterator()
        #expect(try await values.next() == Count(count: 1))
        try store.nuke()
        try write(store, 7)
        do {
            _ = try await values.next()
            Issue.record("there is a value")
        } catch {
            #expect(error.code == .erased)
        }
        #expect(try await values.next() == nil)
    }

    @Test func `ends when the task is cancelled`() async throws {
        let store = try Store.projecting(on: SimulatedDisk(), Count.self)
        let task = Task {
            var last: Count?
            for try await value in store.live(Count.self) { last = value }
            return last
        }
        task.cancel()
        #expect(try await task.value ?? Count() == Count())
    }

    @Test func `of a store without it is an error`() async throws {
        let store = try SharedStore.inMemory(Note.self)
        var values = store.live(Count.self).makeAsyncIterator()
        do {
            _ = try await values.next()
            Issue.record("there is a value")
        } catch {
            #expect(error.code == .unknownProjection)
        }
    }
}

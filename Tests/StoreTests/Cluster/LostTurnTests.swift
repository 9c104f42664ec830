import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Total: Projection, Equatable {
    var texts: [String] = []

    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Note.self) {
            if let note = try change.after { texts.append(note.text) }
        }
    }
}

private struct Count: Projection, Equatable {
    var count = 0

    mutating func apply(_ event: AppliedEvent) { count += event.changes.count }
}

/// A clock that does something once when it is asked.
private final class HookedClock: WallClock {
    let hook = Locked<(@Sendable () -> Void)?>(nil)

    func nowMicroseconds() -> Int64 {
        let body = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        body?()
        return SystemClock().nowMicroseconds()
    }
}

/// A node that loses its turn with events that were not sent.
@Suite(.mayHang) struct `A turn to write that is lost` {
    private let nodes = SimulatedNodes()

    private func code(_ result: Result<Receipt, any Error>) -> StoreError.Code? {
        if case .failure(let error) = result { StoreError.wrapping(error).code } else { nil }
    }

    @Test func `leaves no idempotency key`() async throws {
        let store = try nodes.store("one")
        let outcome = Monitor<Result<Receipt, any Error>?>(nil)
        nodes.loseTurn(of: store) {
            store.writeAsync(once: "key") { tx in
                try tx.insert(Note(id: 1, text: "lost"))
            } completion: { result in
                outcome.change { $0 = result }
            }
        }
        #expect(code(outcome.wait { $0 }) == .alreadyOpen)
        try await store.waitUntilWriter()
        let receipt = try await store.write(once: "key") { tx in
            try tx.insert(Note(id: 1, text: "written"))
        }
        #expect(!receipt.isRepeated && receipt.sequence == 2)
        #expect(try store.get(Note.self, 1)?.text == "written")
        #expect(try await store.write(once: "key") { _ in }.isRepeated)
        #expect(nodes.quorum.batches.count == 2)
    }

    @Test func `leaves nothing in projections`() async throws {
        var options = Store.Options()
        options.projections = [Total.self]
        let store = try nodes.store("one", .automatic, on: SimulatedDisk(), options)
        let done = Monitor(false)
        nodes.loseTurn(of: store) {
            store.writeAsync { tx in
                try tx.insert(Note(id: 1, text: "lost"))
            } completion: { _ in
                done.change { $0 = true }
            }
        }
        done.wait { $0 ? () : nil }
        try await store.waitUntilWriter()
        try await store.write { tx in try tx.insert(Note(id: 1, text: "written")) }
        #expect(try store.projection(Total.self).texts == ["sent", "written"])
    }

    @Test func `leaves nothing in a projection that is built anew`() async throws {
        var options = Store.Options()
        options.projections = [Total.self, Count.self]
        let store = try nodes.store("one", .automatic, on: SimulatedDisk(), options)
        nodes.loseTurn(of: store) {
            store.writeAsync { tx in
                try tx.insert(Note(id: 1, text: "lost"))
            } completion: { _ in
            }
        }
        // Before the node has looked what other ones have written.
        try store.rebuild(Count.self)
        #expect(try store.projection(Total.self).texts == ["sent"])
        #expect(try store.projection(Count.self).count == 1)
        try await store.waitUntilWriter()
        try await store.write { tx in try tx.insert(Note(id: 1, text: "written")) }
        #expect(try store.projection(Total.self).texts == ["sent", "written"])
        #expect(try store.projection(Count.self).count == 2)
    }

    @Test func `leaves no receipt for a key`() throws {
        let clock = HookedClock()
        let store = try nodes.store("one", clock: clock) { $0.patienceMilliseconds = 0 }
        nodes.gate.change { $0 = false }
        let count = nodes.begun.withLock { $0 }
        let outcome = Monitor<Result<Receipt, any Error>?>(nil)
        store.writeAsync(once: "key") { tx in
            try tx.insert(Note(id: 1, text: "lost"))
        } completion: { result in
            outcome.change { $0 = result }
        }
        nodes.begun.wait { $0 > count ? () : nil }
        // While the repetition looks for its key, the event is lost.
        clock.hook.withLock { [nodes] in
            $0 = {
                nodes.faults.withLock { $0 = [.lostBefore] }
                nodes.quorum.refuseConnections(.refused(LogError(.io, "it is not configured")))
                nodes.gate.change { $0 = true }
                _ = outcome.wait { $0 }
            }
        }
        #expect(throws: StoreError.self) {
            try store.write(once: "key") { tx in try tx.insert(Note(id: 1, text: "again")) }
        }
        #expect(clock.hook.withLock { $0 == nil })
        #expect(nodes.quorum.batches.isEmpty)
    }

    @Test func `is waited for by a projection that is built anew`() throws {
        var options = Store.Options()
        options.projections = [Total.self, Count.self]
        let disk = SimulatedDisk()
        let store = try nodes.store("one", .automatic, on: disk, options)
        nodes.gate.change { $0 = false }
        let count = nodes.begun.withLock { $0 }
        store.writeAsync { tx in
            try tx.insert(Note(id: 1, text: "on its way"))
        } completion: { _ in
        }
        nodes.begun.wait { $0 > count ? () : nil }
        let rebuilt = Monitor<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try store.rebuild(Count.self) }
            rebuilt.change { $0 = result }
        }
        #expect(rebuilt.wait(atMost: 50) { $0 == nil ? nil : () } == nil)
        nodes.gate.change { $0 = true }
        try rebuilt.wait { $0 }.get()
        #expect(try store.projection(Count.self).count == 1)
        let next = try nodes.store("two", .reader, on: disk.killed(), options)
        #expect(try next.projection(Total.self).texts == ["on its way"])
    }

    @Test func `fails a block that has seen what is lost`() throws {
        let store = try nodes.store("one")
        let outcome = Monitor<Result<Receipt, any Error>?>(nil)
        let seen = Monitor<String?>(nil)
        nodes.loseTurn(of: store) {
            store.writeAsync { tx in
                try tx.insert(Note(id: 1, text: "lost"))
            } completion: { _ in
            }
            // It writes nothing.
            store.writeAsync { tx in
                let text = try tx.get(Note.self, 1)?.text
                seen.change { $0 = text }
            } completion: { result in
                outcome.change { $0 = result }
            }
        }
        #expect(code(outcome.wait { $0 }) == .alreadyOpen)
        #expect(seen.withLock { $0 } == "lost")
        #expect(try store.get(Note.self, 1) == nil)
    }
}

/// The same entity in two versions of an app.
private enum Older {
    struct Guest: Entity {
        var id: Int
        var mail: String
    }
}

private enum Newer {
    struct Guest: Entity {
        var id: Int
        var email: String
        static let evolution: Evolution<Guest> = [
            .version(2) { .rename("mail", to: "email") }
        ]
    }
}

@Suite(.mayHang) struct `A node beside others` {
    private let nodes = SimulatedNodes()

    @Test func `neither shows nor writes what another version of the app has changed`()
        async throws
    {
        let (errors, continuation) = AsyncStream<StoreError.Code>.makeStream()
        var options = Store.Options()
        options.onError = { continuation.yield(StoreError.wrapping($0).code) }
        let older = try nodes.store(
            "one", .automatic, on: SimulatedDisk(), options, of: [Older.Guest.self])
        try await older.write { tx in try tx.insert(Older.Guest(id: 1, mail: "ann@example.org")) }
        let sequence = older.sequence
        older.suspend()
        let newer = try nodes.store("two", of: [Newer.Guest.self])
        try await newer.write { tx in
            try tx.insert(Newer.Guest(id: 2, email: "bob@example.org"))
        }
        try older.resume()
        #expect(await errors.contains(.schemaMismatch))
        try newer.close()
        #expect(older.sequence == sequence)
        await #expect(throws: StoreError.self) {
            try await older.write { tx in try tx.insert(Older.Guest(id: 3, mail: "")) }
        }
    }

    @Test func `that must write follows another history, too`() async throws {
        let first = try nodes.store("one", .writer)
        for id in 1...3 {
            try await first.write { tx in try tx.insert(Note(id: id, text: "")) }
        }
        first.suspend()
        let second = try nodes.store("two")
        try await second.waitUntilWriter()
        nodes.quorum.restore(batchCount: 1)
        try await second.waitUntilWriter()
        while second.sequence != 1 { try await second.wait(for: 1) }
        try await second.waitUntilWriter()
        try await second.write { tx in try tx.insert(Note(id: 4, text: "")) }
        try first.resume()
        while try first.get(Note.self, 4) == nil { try await first.wait(for: 2) }
        #expect(try first.all(Note.self).map(\.id) == [1, 4])
        try second.close()
        try await first.waitUntilWriter()
    }

    @Test func `is resumed although the history was replaced and blocks are queued`() async throws {
        let store = try nodes.store("one")
        for id in 1...3 { try await store.write { tx in try tx.insert(Note(id: id, text: "")) } }
        store.suspend()
        let (results, continuation) = AsyncStream<Bool>.makeStream()
        store.writeAsync { tx in
            try tx.insert(Note(id: 4, text: ""))
        } completion: { result in
            continuation.yield((try? result.get()) != nil)
        }
        nodes.quorum.restore(batchCount: 1)
        try store.resume()
        // It is refused, or comes after what the server has now.
        let wasWritten = await results.first { _ in true } == true
        try await store.waitUntilWriter()
        #expect(try store.all(Note.self).map(\.id) == (wasWritten ? [1, 4] : [1]))
    }

    @Test func `is resumed although it could not show the history that the server has now`()
        async throws
    {
        let disk = SimulatedDisk()
        let store = try nodes.store("one", on: disk)
        for id in 1...3 { try await store.write { tx in try tx.insert(Note(id: id, text: "")) } }
        // The former history is given up, and the files of the other one cannot be made.
        disk.inject(Fault(.create, isLasting: true))
        nodes.quorum.restore(batchCount: 1)
        while !store.session.isRetired { await Task.yield() }
        store.suspend()
        disk.heal()
        try store.resume()
        try await store.waitUntilWriter()
        #expect(try store.all(Note.self).map(\.id) == [1])
    }

    @Test func `handles events after its connections were lost`() async throws {
        let handled = EventSignal(.zero)
        let store = try nodes.store("one")
        try store.setPosition(ofSubscription: "mail", to: 0)
        let subscription = try store.subscribe("mail") { event in
            handled.raise(event.sequence)
        }
        for id in 1...5 {
            nodes.quorum.restart()
            try await store.write { tx in try tx.insert(Note(id: id, text: "")) }
            #expect(await handled.wait(after: store.sequence.advanced(by: -1)))
        }
        withExtendedLifetime(subscription) {}
    }
}

@Suite(.mayHang) struct `The copy of a node` {
    private let nodes = SimulatedNodes()

    /// Opens a store, writes, closes it, changes its files, and opens it again.
    private func check(after change: (SimulatedDisk) throws -> Void) throws {
        let disk = SimulatedDisk()
        var store: Store? = try nodes.store("one", on: disk)
        for id in 1...20 {
            try store?.write { tx in try tx.insert(Note(id: id, text: "")) }
        }
        try store?.close()
        store = nil
        let next = disk.killed()
        try change(next)
        for _ in 0..<2 {
            let again = try nodes.store("one", on: next)
            #expect(try again.all(Note.self).map(\.id) == Array(1...20))
            #expect(try again.history(of: Note.self, 20).count == 1)
            try again.close()
        }
    }

    @Test func `is made anew if it has no events`() throws {
        try check { disk in
            for name in try disk.list(.events) { try disk.remove(DiskPath(.events, name)) }
        }
    }

    @Test func `is kept if it belongs to another store`() throws {
        let disk = SimulatedDisk()
        let store = try nodes.store("one", on: disk)
        try store.write { tx in try tx.insert(Note(id: 1, text: "")) }
        try store.close()
        let copy = disk.killed()
        for name in try copy.list(.events) where name.first?.isNumber == true {
            try copy.remove(DiskPath(.events, name))
            try copy.createFile(DiskPath(.events, name), [1, 2, 3]).close()
        }
        let before = try copy.list(.events)
        let others = SimulatedNodes(seed: 6)
        let error = failure(as: StoreError.self) { _ = try others.store("two", on: copy) }
        #expect(error?.code == .foreignStore)
        #expect(try copy.list(.events) == before)
    }

    @Test func `is kept if its server is damaged`() throws {
        let (writer, disk) = (try nodes.store("one"), SimulatedDisk())
        try writer.write { tx in try tx.insert(Note(id: 1, text: "")) }
        try nodes.store("two", .reader, on: disk).close()
        try writer.write { tx in try tx.insert(Note(id: 2, text: "")) }
        nodes.quorum.damage(2)
        let copy = disk.killed()
        let before = try copy.list(.events)
        let error = failure(as: StoreError.self) { _ = try nodes.store("two", .reader, on: copy) }
        #expect(error?.code == .chainBroken)
        #expect(try copy.list(.events) == before)
        #expect(try copy.list(.quarantine).isEmpty)
    }

    @Test func `is kept if it cannot be read for now`() throws {
        let disk = SimulatedDisk()
        let store = try nodes.store("one", on: disk)
        try store.write { tx in try tx.insert(Note(id: 1, text: "")) }
        try store.close()
        let copy = disk.killed()
        copy.inject(Fault(.list))
        #expect(throws: StoreError.self) { try nodes.store("two", on: copy) }
        let again = try nodes.store("two", on: copy)
        #expect(try again.get(Note.self, 1) != nil)
        #expect(try copy.list(.quarantine).isEmpty)
    }

    @Test func `is made anew if it is damaged`() throws {
        try check { disk in
            let names = try disk.list(.events).filter { $0.first?.isNumber == true }
            let name = try #require(names.first)
            try disk.remove(DiskPath(.events, name))
            try disk.createFile(DiskPath(.events, name), [1, 2, 3]).close()
        }
    }
}

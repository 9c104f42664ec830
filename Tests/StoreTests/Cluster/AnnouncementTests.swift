import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.mayHang) struct `What a node announces to the others` {
    private let nodes = SimulatedNodes()

    private func insert(_ id: Int, in store: Store, _ text: String = "") throws {
        try store.write(by: "ann") { try $0.insert(Note(id: id, text: text)) }
    }

    private func inserted(_ id: Int, in store: Store, _ text: String) throws -> Receipt {
        try store.writeWithReceipt { try $0.insert(Note(id: id, text: text)) }.receipt
    }

    @Test func `is shown without a commit on the server`() async throws {
        let writer = try nodes.store("one", pollMilliseconds: 600_000)
        let reader = try nodes.store("two", .reader, pollMilliseconds: 600_000)
        // Both have checked the server then, and wait.
        try await reader.wait(for: inserted(1, in: writer, "").sequence ?? .zero)
        try await reader.wait(for: inserted(2, in: writer, "").sequence ?? .zero)
        let count = nodes.begun.withLock { $0 }
        for id in 3...20 {
            let state = try await reader.read(after: inserted(id, in: writer, ""))
            #expect(try state.count(Note.self) == id)
        }
        #expect(nodes.begun.withLock { $0 } == count + 18)
    }

    @Test func `has its last event, also if it closes`() async throws {
        let reader = try nodes.store("two", .reader, pollMilliseconds: 600_000)
        for number in 1...20 {
            let writer = try nodes.store("one", pollMilliseconds: 600_000)
            let receipt = try inserted(number, in: writer, "")
            try writer.close()
            #expect(try await reader.read(after: receipt).count(Note.self) == number)
        }
    }

    @Test func `is not awaited for what readLatest has learned`() async throws {
        nodes.quorum.loseAnnouncements()
        let writer = try nodes.store("one", pollMilliseconds: 600_000)
        let reader = try nodes.store("two", .reader, pollMilliseconds: 600_000)
        func show(_ ids: ClosedRange<Int>) async throws {
            for id in ids {
                try insert(id, in: writer)
                #expect(try await reader.readLatest().count(Note.self) == id)
            }
        }
        try await show(1...2)
        let count = nodes.begun.withLock { $0 }
        try await show(3...20)
        // A check would let the quorum commit for each one, too.
        #expect(nodes.begun.withLock { $0 } == count + 2 * 18)
    }

    @Test func `hides no append of another one`() async throws {
        let clock = ManualClock()
        let first = try nodes.store("one", clock: clock)
        let second = try nodes.store("two", .reader)
        try insert(1, in: first)
        try await second.wait(for: 1)
        // The same store on other servers has the event that follows.
        let other = SimulatedNodes()
        let source = try other.store("three", clock: clock)
        try insert(1, in: source)
        try insert(2, in: source, "without the turn")
        #expect(other.quorum.batches.count == 2)
        let server = nodes.quorum.connection()
        try server.connect()
        try server.append(
            [other.quorum.batches[1]], after: other.quorum.batches[0].head, origin: 1)
        try await first.wait(for: 2)
        #expect(try first.get(Note.self, 2)?.text == "without the turn")
        try await first.waitUntilWriter()
        try insert(3, in: first)
        #expect(try await second.read(after: inserted(4, in: first, "")).count(Note.self) == 4)
    }

    @Test func `may be lost, as nodes check the server by themselves`() async throws {
        nodes.quorum.loseAnnouncements()
        let writer = try nodes.store("one", pollMilliseconds: 1)
        let reader = try nodes.store("two", .reader, pollMilliseconds: 1)
        for id in 1...5 {
            let state = try await reader.read(after: inserted(id, in: writer, ""))
            #expect(try state.count(Note.self) == id)
        }
    }
}

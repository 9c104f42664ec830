import Foundation
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.mayHang) struct `A subscription of a store that another process uses` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> Store {
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        return try Store(at: directory.store, entities: Note.self, options: options)
    }

    private func open(with count: Int) throws -> Store {
        let store = try open()
        try store.writeDurably(1...count)
        try store.setPosition(ofSubscription: "mail", to: 3)
        return store
    }

    /// Handles everything and cancels.
    private func handleAll(_ store: Store) async throws -> [SequenceNumber] {
        let mailbox = Mailbox()
        let subscription = try store.subscribe("mail") { mailbox.receive($0) }
        try await subscription.waitUntilHandled(store.sequence)
        return mailbox.sequences
    }

    @Test func `continues after the events that the other one has handled`() async throws {
        let store = try open(with: 5)
        let mailbox = Mailbox()
        let subscription = try store.subscribe("mail") { mailbox.receive($0) }
        try await subscription.waitUntilHandled(5)
        store.suspend()
        let other = try open()
        try other.writeDurably(6...8)
        #expect(try await handleAll(other).suffix(3) == [6, 7, 8])
        try other.writeDurably(9...10)
        try other.close()
        #expect(mailbox.sequences == [4, 5])
        try store.resume()
        try store.writeDurably([11])
        try await subscription.waitUntilHandled(11)
        #expect(mailbox.sequences == [4, 5, 9, 10, 11])
    }

    @Test func `is not moved back by a handler that has overslept`() async throws {
        let store = try open(with: 5)
        let (isIn, gate) = (EventSignal(.zero), EventSignal(.zero))
        let mailbox = Mailbox()
        let subscription = try store.subscribe("mail", sleep: { _ in }) { event in
            mailbox.receive(event)
            guard event.sequence == 5 else { return }
            isIn.raise(1)
            _ = await gate.wait(after: .zero)
        }
        #expect(await isIn.wait(after: .zero))
        store.suspend()
        let other = try open()
        try other.writeDurably(6...8)
        #expect(try await handleAll(other).suffix(3) == [6, 7, 8])
        try other.close()
        try store.resume()
        gate.raise(1)
        try store.writeDurably([9])
        try await subscription.waitUntilHandled(9)
        #expect(mailbox.sequences == [4, 5, 9])
        try store.close()
        #expect(try open().position(ofSubscription: "mail") == 9)
    }

    @Test func `is not moved back by closing the store`() async throws {
        let store = try open(with: 5)
        let (isIn, gate) = (EventSignal(.zero), EventSignal(.zero))
        let subscription = try store.subscribe("mail", sleep: { _ in }) { event in
            guard event.sequence == 5 else { return }
            isIn.raise(1)
            await Task.detached { _ = await gate.wait(after: .zero) }.value
        }
        #expect(await isIn.wait(after: .zero))
        store.suspend()
        let other = try open()
        #expect(try await handleAll(other).last == 5)
        try other.writeDurably(6...8)
        #expect(try await handleAll(other) == [6, 7, 8])
        try other.close()
        try store.resume()
        try store.close()
        gate.raise(1)
        subscription.cancel()
        #expect(try open().position(ofSubscription: "mail") == 8)
    }
}

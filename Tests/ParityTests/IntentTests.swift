import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

private struct LogIn: DomainCommand, Equatable {
    var name: String
    var isRefused: Bool
}

@Suite struct `A block with an intent` {
    private let intent = LogIn(name: "mallory", isRefused: true)

    @Test(arguments: Medium.allCases)
    func `S-051: leaves an event although it changed nothing`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.writeSync { try $0.insert(User.john) }
        var stream = store.changes(after: 1).makeAsyncIterator()
        let receipt = try blocking {
            try store.writeWithReceipt(by: "gate", intent: intent) { _ in }.receipt
        }
        #expect(receipt.sequence == 2)
        let streamed = try #require(try await stream.next())
        #expect(streamed.sequence == 2)
        #expect(streamed.changes.isEmpty)
        #expect(try streamed.intent?.decode(as: LogIn.self) == intent)
        #expect(try store.all(User.self) == [.john])
        let again = try home.reopened(store)
        #expect(again.sequence == 2)
        let event = try #require(try again.event(2))
        #expect(try event.intent?.decode(as: LogIn.self) == intent)
        #expect(event.metadata.actor == "gate")
        #expect(try again.snapshot(asOf: .sequence(1)).all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-051: leaves none if it throws, nor does an actor or a reason alone`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        #expect(throws: Refused()) { try store.write(intent: intent) { _ in throw Refused() } }
        let receipt = try store.writeWithReceipt(by: "alice", because: "none") { _ in }.receipt
        #expect(receipt.sequence == nil)
        #expect(store.sequence == 0)
    }

    /// Selects the form that blocks the thread.
    private func blocking<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

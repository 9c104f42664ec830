import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.timeLimit(.minutes(5))) struct `The position of a subscription` {
    private let disk = SimulatedDisk()
    private static let path = "subscriptions/mail.position"

    private func store(with count: Int, keepsHistory: Bool = true) throws -> Store {
        let store = try Store.subscribed(on: disk)
        try store.writeDurably(1...count)
        try store.setPosition(ofSubscription: "mail", to: 3, keepingHistory: keepsHistory)
        return store
    }

    private func prune(_ store: Store) throws {
        _ = try store.prune(before: .distantFuture)
    }

    /// Handles everything and cancels.
    private func handleAll(_ store: Store) async throws -> [SequenceNumber] {
        let mailbox = Mailbox()
        let subscription = try store.subscribe("mail") { mailbox.receive($0) }
        try await subscription.waitUntilHandled(store.sequence)
        return mailbox.sequences
    }

    @Test func `is set, read and forgotten`() throws {
        let store = try store(with: 5)
        #expect(try store.position(ofSubscription: "mail") == 3)
        let error = failure(as: StoreError.self) {
            try store.setPosition(ofSubscription: "mail", to: 6)
        }
        #expect(error?.code == .noSuchEvent)
        try store.removeSubscription("mail")
        #expect(try store.position(ofSubscription: "mail") == nil)
        #expect(disk.contents[Self.path] == nil)
        try store.removeSubscription("mail")
    }

    @Test func `that is damaged asks`() throws {
        let store = try store(with: 5)
        let bytes = try #require(disk.contents[Self.path])
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            disk.overwrite(Self.path, with: damaged)
            let error = failure(as: StoreError.self) { _ = try store.subscribe("mail") { _ in } }
            #expect(error?.code == .positionMissing, "byte \(index)")
        }
        for damaged in [[], Array(bytes.dropLast()), bytes + [10]] {
            disk.overwrite(Self.path, with: damaged)
            let error = failure(as: StoreError.self) { _ = try store.subscribe("mail") { _ in } }
            #expect(error?.code == .positionMissing)
        }
        // A prune needs to know it.
        #expect(failure(as: StoreError.self) { _ = try store.prune(before: .distantFuture) } != nil)
        try store.setPosition(ofSubscription: "mail", to: 5)
        #expect(try store.position(ofSubscription: "mail") == 5)
    }

    @Test func `is the old or the new one after each crash, and never ahead of the log`() throws {
        let wholeCount = try operations { _ in }
        for number in 0..<wholeCount {
            for image in UInt64(0)..<4 {
                let disk = SimulatedDisk()
                var store: Store? = try Store.subscribed(on: disk)
                try store?.writeDurably(1...3)
                try store?.setPosition(ofSubscription: "mail", to: 2)
                disk.inject(Fault(nil, after: number, isLasting: true))
                try? store?.writeDurably([4])
                try? store?.setPosition(ofSubscription: "mail", to: 4)
                let crashed = disk.crashed(seed: image)
                store = nil
                let again = try Store.subscribed(on: crashed)
                let position = try #require(try again.position(ofSubscription: "mail"))
                #expect(position == 2 || position == 4)
                #expect(position <= again.sequence)
            }
        }
    }

    /// The number of disk operations of a durable write and a new position.
    private func operations(_ note: (Int) -> Void) throws -> Int {
        let store = try Store.subscribed(on: disk)
        try store.writeDurably(1...3)
        try store.setPosition(ofSubscription: "mail", to: 2)
        let before = disk.operations.count
        try store.writeDurably([4])
        try store.setPosition(ofSubscription: "mail", to: 4)
        return disk.operations.count - before
    }

    @Test func `keeps the history that is not handled`() async throws {
        var store = try store(with: 200)
        try prune(store)
        #expect(store.firstSequence <= 4)
        #expect(try await handleAll(store).first == 4)
        try store.close()
        store = try Store.subscribed(on: disk)
        #expect(try store.position(ofSubscription: "mail") == 200)
        try prune(store)
        #expect(store.firstSequence > 100)
        try store.removeSubscription("mail")
        #expect(try Archive(on: disk).prunePlan(before: .distantFuture) == nil)
    }

    @Test func `without history stops below the floor`() async throws {
        let store = try store(with: 200, keepsHistory: false)
        try prune(store)
        let subscription = try store.subscribe("mail") { _ in Issue.record("it gets an event") }
        await #expect(throws: StoreError(.belowFloor, "")) {
            try await subscription.waitUntilHandled(200)
        }
    }

    @Test func `is a part of a backup, at most at its end`() throws {
        let directory = try TemporaryDirectory()
        let store = try store(with: 9)
        try store.setPosition(ofSubscription: "other", to: 9, keepingHistory: false)
        let copy = directory.store
        try store.archive().backup(to: copy, asOf: .sequence(6))
        let restored = try Store(at: copy, entities: Note.self)
        #expect(try restored.position(ofSubscription: "mail") == 3)
        #expect(try restored.position(ofSubscription: "other") == 6)
        #expect(throws: Never.self) { _ = try restored.subscribe("other") { _ in } }
        try restored.close()
        // The next one follows the store.
        try store.removeSubscription("mail")
        try store.archive().backup(to: copy)
        let again = try Store(at: copy, entities: Note.self)
        #expect(try again.position(ofSubscription: "mail") == nil)
        #expect(try again.position(ofSubscription: "other") == 9)
    }

    @Test func `is saved by a salvage`() async throws {
        let store = try store(with: 9)
        try store.setPosition(ofSubscription: "late", to: 8)
        try store.close()
        let name = try #require(disk.contents.keys.first { $0.hasSuffix(".open") })
        var bytes = try #require(disk.contents[name])
        let size = bytes.count
        for index in size / 2..<size / 2 + 40 { bytes[index] ^= 0xFF }
        disk.overwrite(name, with: bytes)
        let target = SimulatedDisk()
        let archive = try Archive(on: Environment(disk: disk), reading: .upToDamage)
        let report = try archive.salvage(onto: Environment(disk: target))
        #expect(report.sequence >= 3 && report.sequence < 8)
        let saved = try Store.subscribed(on: target)
        #expect(try saved.position(ofSubscription: "mail") == 3)
        #expect(try saved.position(ofSubscription: "late") == report.sequence)
        #expect(try await handleAll(saved).first ?? 4 == 4)
    }

    @Test func `is erased with the store`() async throws {
        let store = try store(with: 5)
        let mailbox = Mailbox()
        let subscription = try store.subscribe("mail") { mailbox.receive($0) }
        try await subscription.waitUntilHandled(5)
        try store.nuke()
        #expect(disk.contents[Self.path] == nil)
        #expect(try store.position(ofSubscription: "mail") == nil)
        try store.writeDurably(1...3)
        await #expect(throws: StoreError(.erased, "")) {
            try await subscription.waitUntilHandled(6)
        }
        #expect(mailbox.sequences == [4, 5])
        try store.setPosition(ofSubscription: "mail", to: .zero)
        #expect(try await handleAll(store) == [1, 2, 3])
        try store.destroy()
        #expect(disk.contents.isEmpty)
    }

    @Test func `is that of the other process, after a resume`() async throws {
        let store = try store(with: 5)
        let mailbox = Mailbox()
        let subscription = try store.subscribe("mail") { mailbox.receive($0) }
        try await subscription.waitUntilHandled(5)
        store.suspend()
        let other = try Store.subscribed(on: disk)
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

    @Test func `can be kept elsewhere`() async throws {
        let positions = KeptPositions()
        func open() throws -> Store {
            try Store.subscribed(on: disk) { $0.subscriptionPositions = positions }
        }
        let store = try open()
        try store.writeDurably(1...3)
        try store.setPosition(ofSubscription: "mail", to: 1)
        #expect(try await handleAll(store) == [2, 3])
        try store.close()
        #expect(positions.all()["mail"]?.sequence == 3)
        #expect(disk.contents[Self.path] == nil)
    }
}

/// Positions in memory.
private final class KeptPositions: SubscriptionPositions {
    private let positions = Locked<[String: SubscriptionPosition]>([:])

    func position(of name: String) -> SubscriptionPosition? { positions.withLock { $0[name] } }

    func save(_ position: SubscriptionPosition, of name: String) {
        positions.withLock { $0[name] = position }
    }

    func remove(_ name: String) { positions.withLock { $0[name] = nil } }

    func all() -> [String: SubscriptionPosition] { positions.withLock { $0 } }
}

import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Calls a hook for each event.
private struct Hooked: Projection {
    static let hook = Locked<(@Sendable () throws -> Void)?>(nil)
    var count = 0
    mutating func apply(_ event: AppliedEvent) throws {
        count += 1
        try Self.hook.withLock { $0 }?()
    }
}

@Suite(.mayHang) struct `The position of a subscription` {
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
                try? store?.writeBuffered([4])
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

    /// The number of disk operations of a write and a new position.
    private func operations(_ note: (Int) -> Void) throws -> Int {
        let store = try Store.subscribed(on: disk)
        try store.writeDurably(1...3)
        try store.setPosition(ofSubscription: "mail", to: 2)
        let before = disk.operations.count
        try store.writeBuffered([4])
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

    @Test func `keeps the history even if it is set back during a prune`() throws {
        let store = try Store.projecting(on: disk, Hooked.self)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        try store.writeDurably(1...200)
        try store.setPosition(ofSubscription: "mail", to: 200)
        // The prune builds the projection, by code of the app.
        Hooked.hook.withLock {
            $0 = {
                let isSet = Monitor(false)
                Thread.detachNewThread {
                    try? store.setPosition(ofSubscription: "mail", to: 3)
                    isSet.change { $0 = true }
                }
                isSet.wait { $0 ? () : nil }
            }
        }
        let report = try store.prune(before: .distantFuture)
        Hooked.hook.withLock { $0 = nil }
        #expect(report == nil && store.firstSequence == 1)
        #expect(try store.position(ofSubscription: "mail") == 3)
    }

    @Test func `after the last number there is needs no history`() throws {
        let store = try store(with: 200)
        let last = SubscriptionPosition(
            sequence: SequenceNumber(rawValue: .max), chainHash: "0f3a29c0d51be877",
            keepsHistory: true)
        try PositionFiles(on: disk).save(last, of: "mail")
        try prune(store)
        #expect(store.firstSequence > 4)
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
        let disk = disk.killed()
        let name = try #require(disk.contents.keys.first { $0.hasSuffix(".open") })
        var bytes = try #require(disk.contents[name])
        // Zeros follow the last event.
        let size = try #require(bytes.lastIndex { $0 != 0 })
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

    @Test func `stays removed after a power cut`() throws {
        for image in UInt64(0)..<16 {
            let disk = SimulatedDisk()
            let store = try Store.subscribed(on: disk)
            try store.writeDurably([1])
            try store.setPosition(ofSubscription: "mail", to: 1)
            try store.removeSubscription("mail")
            let again = try Store.subscribed(on: disk.crashed(seed: image))
            #expect(try again.position(ofSubscription: "mail") == nil)
        }
    }

    @Test func `of a name with capitals has a file that differs in more than case`() throws {
        let store = try store(with: 5)
        for name in ["Mail", "mAIL"] { try store.setPosition(ofSubscription: name, to: 2) }
        let names = disk.contents.keys.filter { $0.hasPrefix("subscriptions/") }
        #expect(Set(names.map { $0.lowercased() }).count == 3)
        #expect(try store.position(ofSubscription: "Mail") == 2)
        #expect(try store.position(ofSubscription: "mail") == 3)
        let found = try Archive(on: disk).info().subscriptions
        #expect(found.map(\.key) == ["Mail", "mAIL", "mail"])
        try store.nuke()
        #expect(!disk.contents.keys.contains { $0.hasPrefix("subscriptions/") })
    }

    @Test func `is asked for before history is pruned in the background`() throws {
        let clock = ManualClock()
        let store = try Store.projecting(on: disk, Tally.self, clock: clock) { options in
            options.retention = .keep(.days(1))
        }
        try store.setPosition(ofSubscription: "mail", to: .zero)
        try store.writeDurably(1...200)
        clock.advance(byMicroseconds: 3 * 86_400_000_000)
        try store.writeDurably([201])
        // Nothing can go yet: the files of the old events are not compressed.
        store.maintenance.noteProjections()
        for _ in 0..<3 {
            store.maintenance.runPending()
            #expect(store.firstSequence == 1)
        }
        try store.setPosition(ofSubscription: "mail", to: 150)
        clock.advance(byMicroseconds: 86_400_000_000)
        try store.writeDurably([202])
        store.maintenance.runPending()
        #expect(store.firstSequence > 50 && store.firstSequence <= 151)
    }

    @Test func `stays in a backup of a store in which it is damaged`() throws {
        let directory = try TemporaryDirectory()
        let store = try store(with: 9)
        let copy = directory.store
        try store.archive().backup(to: copy)
        disk.overwrite(Self.path, with: [1, 2, 3])
        try store.archive().backup(to: copy)
        #expect(try Store(at: copy, entities: Note.self).position(ofSubscription: "mail") == 3)
    }

    @Test func `is news to a backup that follows`() throws {
        let store = try store(with: 9)
        let copy = SimulatedDisk()
        let backup = try Backup(of: disk, onto: Environment(disk: copy))
        _ = try backup.update()
        #expect(try !backup.hasNews())
        try store.setPosition(ofSubscription: "mail", to: 9)
        #expect(try backup.hasNews())
        _ = try backup.update()
        #expect(try !backup.hasNews())
        try backup.close()
        #expect(try Store.subscribed(on: copy).position(ofSubscription: "mail") == 9)
    }

    @Test func `is salvaged with the log, or nothing is`() throws {
        let store = try store(with: 9)
        try store.close()
        let archive = try Archive(on: Environment(disk: disk), reading: .upToDamage)
        var number = 0
        while true {
            let target = SimulatedDisk()
            target.inject(Fault(nil, after: number))
            do {
                _ = try archive.salvage(onto: Environment(disk: target))
                target.heal()
                let saved = try Store.subscribed(on: target)
                #expect(try saved.position(ofSubscription: "mail") == 3, "operation \(number)")
                if target.failures.isEmpty { return }
            } catch is StoreError {
                #expect(target.contents.isEmpty, "operation \(number)")
            }
            number += 1
        }
    }

    @Test func `is saved while a handler takes long`() async throws {
        let hooked = HookedDisk(disk)
        let store = try Store(
            Schema([Note.self]), Store.Options(), Environment(disk: hooked))
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (saved, count, mailbox) = (EventSignal(.zero), Locked(0), Mailbox())
        hooked.beforeEach { operation, path in
            guard operation == .rename, path.hasSuffix("mail.position") else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            saved.raise(SequenceNumber(rawValue: UInt64(number)))
        }
        let subscription = try store.subscribe("mail", sleep: { _ in }) { event in
            // The position is saved before this handler returns.
            if event.sequence == 3 { _ = await saved.wait(after: .zero) }
            mailbox.receive(event)
        }
        try store.writeDurably(1...3)
        try await subscription.waitUntilHandled(3)
        #expect(mailbox.sequences == [1, 2, 3])
    }
}

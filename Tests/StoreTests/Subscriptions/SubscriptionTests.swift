import Dispatch
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// What the handlers of a test have got.
final class Mailbox: Sendable {
    private let received = Locked<[SequenceNumber]>([])
    private let failures = Locked(0)

    var sequences: [SequenceNumber] { received.withLock { $0 } }

    func receive(_ event: AppliedEvent) { received.withLock { $0.append(event.sequence) } }

    /// Lets the next calls of `receiveOrFail` fail.
    func fail(times count: Int) { failures.withLock { $0 = count } }

    func receiveOrFail(_ event: AppliedEvent) throws {
        let fails = failures.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if fails { throw Unreachable() }
        receive(event)
    }

    struct Unreachable: Error {}
}

extension Store {
    /// A store that syncs only what is written durably.
    static func subscribed(
        on disk: SimulatedDisk, clock: ManualClock = ManualClock(),
        setting options: (inout Store.Options) -> Void = { _ in }
    ) throws -> Store {
        try projecting(on: disk, clock: clock, setting: options)
    }

    func writeDurably(
        _ ids: some Sequence<Int>, _ text: String = "a", by actor: String = "ada"
    ) throws {
        for id in ids {
            try write(by: actor, durability: .durable) { try $0.upsert(Note(id: id, text: text)) }
        }
    }

    func writeBuffered(_ ids: some Sequence<Int>) throws {
        for id in ids { try write { try $0.upsert(Note(id: id, text: "")) } }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A subscription` {
    private let disk = SimulatedDisk()
    private let mailbox = Mailbox()

    private func subscribe(_ store: Store) throws -> Subscription {
        let mailbox = mailbox
        return try store.subscribe("mail") { mailbox.receive($0) }
    }

    @Test func `gets each event after its position, with the records that it changed`() async throws
    {
        let store = try Store.subscribed(on: disk)
        try store.writeDurably(1...3)
        try store.setPosition(ofSubscription: "mail", to: store.sequence)
        let texts = Locked<[[String?]]>([])
        let subscription = try store.subscribe("mail") { event in
            let changes = try event.changes(of: Note.self)
            let pairs = try changes.map { [try $0.before?.text, try $0.after?.text] }
            texts.withLock { $0 += pairs }
        }
        try store.writeDurably(3...4, "b")
        try await subscription.waitUntilHandled(5)
        #expect(texts.withLock { $0 } == [["a", "b"], [nil, "b"]])
        #expect(subscription.position == 5)
    }

    @Test func `gets no event before it is durable`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let subscription = try subscribe(store)
        try store.writeDurably([1])
        try await subscription.waitUntilHandled(1)
        try store.writeBuffered(2...5)
        #expect(store.session.subscriptions.durable.last == 1)
        #expect(mailbox.sequences == [1])
        try store.writeDurably([6])
        try await subscription.waitUntilHandled(6)
        #expect(mailbox.sequences == [1, 2, 3, 4, 5, 6])
    }

    @Test func `without a position does not begin`() throws {
        let store = try Store.subscribed(on: disk)
        try store.writeDurably(1...3)
        let error = failure(as: StoreError.self) { _ = try subscribe(store) }
        #expect(error?.code == .positionMissing)
        #expect(error?.message.contains("setPosition") == true)
        #expect(try store.position(ofSubscription: "mail") == nil)
        #expect(mailbox.sequences == [])
    }

    @Test func `continues where it was, after a close`() async throws {
        var store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        for round in 0..<4 {
            let subscription = try subscribe(store)
            try store.writeDurably(round * 10...round * 10 + 4)
            try await subscription.waitUntilHandled(store.sequence)
            try store.close()
            guard case .stopped(nil) = subscription.state else {
                Issue.record("\(subscription.state)")
                return
            }
            store = try Store.subscribed(on: disk)
        }
        #expect(mailbox.sequences == (1...20).map { SequenceNumber(rawValue: $0) })
    }

    @Test(arguments: [false, true])
    func `gets each event at least once, after a kill or a power cut`(isCut: Bool) async throws {
        var disk = disk
        var store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        for round in 0..<6 {
            let subscription = try subscribe(store)
            try store.writeDurably(round * 10...round * 10 + 4)
            if round % 2 == 0 { try await subscription.waitUntilHandled(store.sequence) }
            let before = disk
            disk = isCut ? before.crashed(seed: UInt64(round)) : before.killed()
            before.inject(Fault(nil, isLasting: true))
            subscription.cancel()
            store = try Store.subscribed(on: disk)
            let position = try #require(try store.position(ofSubscription: "mail"))
            #expect(position <= store.sequence)
            let got = Set(mailbox.sequences)
            #expect(
                (1...100).map { SequenceNumber(rawValue: $0) }.filter { $0 <= position }
                    .allSatisfy(got.contains))
        }
        let last = try subscribe(store)
        try await last.waitUntilHandled(store.sequence)
        #expect(Set(mailbox.sequences).count == 30)
    }

    @Test func `tries again after longer and longer pauses`() async throws {
        let errors = Locked<[any Error]>([])
        let store = try Store.subscribed(on: disk) { options in
            options.onError = { error in errors.withLock { $0.append(error) } }
        }
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let pauses = Locked<[Duration]>([])
        let mailbox = mailbox
        mailbox.fail(times: 5)
        let subscription = try store.subscribe(
            "mail", retrying: RetryPolicy(firstDelay: .seconds(1), delayMax: .seconds(5)),
            sleep: { pause in pauses.withLock { $0.append(pause) } }
        ) { try mailbox.receiveOrFail($0) }
        try store.writeDurably(1...2)
        try await subscription.waitUntilHandled(2)
        #expect(pauses.withLock { $0 } == [1, 2, 4, 5, 5].map { .seconds($0) })
        #expect(mailbox.sequences == [1, 2])
        store.resources.options.callbackQueue.sync {}
        #expect(errors.withLock { $0.count } == 1)
    }

    @Test func `stops after the last attempt, before the event`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let mailbox = mailbox
        let subscription = try store.subscribe(
            "mail", retrying: RetryPolicy(attemptsMax: 3), sleep: { _ in }
        ) { event in
            if event.sequence == 2 { throw Mailbox.Unreachable() }
            mailbox.receive(event)
        }
        try store.writeDurably(1...3)
        await #expect(throws: StoreError(.subscriptionFailed, "")) {
            try await subscription.waitUntilHandled(2)
        }
        #expect(mailbox.sequences == [1])
        #expect(try store.position(ofSubscription: "mail") ?? 9 <= 1)
        // It may begin again.
        let again = try subscribe(store)
        try await again.waitUntilHandled(3)
        #expect(mailbox.sequences.suffix(2) == [2, 3])
    }

    @Test func `gets the events of a filter only`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let mailbox = mailbox
        let subscription = try store.subscribe("mail", to: EventFilter(actor: "bob")) {
            mailbox.receive($0)
        }
        try store.writeDurably(1...2)
        try store.writeDurably([9], by: "bob")
        try store.writeDurably(3...4)
        try await subscription.waitUntilHandled(5)
        #expect(mailbox.sequences == [3])
    }

    @Test func `has one reader at a time`() throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let first = try subscribe(store)
        #expect(failure(as: StoreError.self) { _ = try subscribe(store) }?.code == .invalidInput)
        first.cancel()
        #expect(throws: Never.self) { _ = try subscribe(store) }
        for name in ["", "a/b", "..", "é", String(repeating: "a", count: 65)] {
            let error = failure(as: StoreError.self) {
                try store.setPosition(ofSubscription: name, to: .zero)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test func `of another history asks`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.writeDurably(1...5)
        try store.setPosition(ofSubscription: "mail", to: 5)
        try store.close()
        let position = try #require(disk.contents["subscriptions/mail.position"])
        let other = SimulatedDisk()
        let another = try Store.subscribed(on: other)
        try another.writeDurably(1...9)
        try another.setPosition(ofSubscription: "mail", to: 3)
        other.overwrite("subscriptions/mail.position", with: position)
        let subscription = try subscribe(another)
        await #expect(throws: StoreError(.historyChanged, "")) {
            try await subscription.waitUntilHandled(9)
        }
        #expect(mailbox.sequences == [])
    }

    @Test func `is not called by an opening, a replay or an archive`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let subscription = try subscribe(store)
        try store.writeDurably(1...3)
        try await subscription.waitUntilHandled(3)
        try store.archive().replay { _, _ in true }
        _ = try store.snapshot(asOf: .sequence(1))
        try store.close()
        let again = try Store.subscribed(on: disk)
        try again.archive().replay { _, _ in true }
        #expect(mailbox.sequences == [1, 2, 3])
    }
}

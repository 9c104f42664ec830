import Dispatch
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.mayHang) struct `A subscription` {
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
        let long = pauses.withLock { $0.filter { $0 >= .seconds(1) } }
        #expect(long == [1, 2, 4, 5, 5].map { .seconds($0) })
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
        #expect(try store.position(ofSubscription: "mail") == 1)
        // It may begin again.
        let again = try subscribe(store)
        try await again.waitUntilHandled(3)
        #expect(mailbox.sequences.suffix(2) == [2, 3])
    }

    @Test func `is saved before it tries again`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (failed, gate) = (EventSignal(.zero), EventSignal(.zero))
        let subscription = try store.subscribe(
            "mail",
            sleep: { pause in
                if pause < .seconds(1) { return }
                failed.raise(1)
                _ = await gate.wait(after: .zero)
            }
        ) { if $0.sequence == 4 { throw Mailbox.Unreachable() } }
        try store.writeDurably(1...4)
        #expect(await failed.wait(after: .zero))
        let killed = disk.killed()
        #expect(try Store.subscribed(on: killed).position(ofSubscription: "mail") == 3)
        subscription.cancel()
    }

    @Test func `begins when the handler of the one before has returned`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (isIn, gate) = (EventSignal(.zero), EventSignal(.zero))
        let mailbox = mailbox
        let first = try store.subscribe("mail") { event in
            isIn.raise(1)
            // Without the cancellation of the task.
            await Task.detached { _ = await gate.wait(after: .zero) }.value
            mailbox.receive(event)
        }
        try store.writeDurably(1...2)
        #expect(await isIn.wait(after: .zero))
        first.cancel()
        let second = try subscribe(store)
        #expect(mailbox.sequences == [])
        gate.raise(1)
        try await second.waitUntilHandled(2)
        // The first one has handled its event, which is known.
        #expect(mailbox.sequences == [1, 2])
    }

    @Test func `has no metadata of the task that made it`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let subscription = try Self.subscribeDuringSetup(store)
        try store.writeDurably([1])
        try await subscription.waitUntilHandled(2)
        #expect(try store.archive().event(2)?.metadata.reason == nil)
    }

    private static func subscribeDuringSetup(_ store: Store) throws -> Subscription {
        try Store.withMetadata(reason: "setup") {
            try store.subscribe("mail") { event in
                if event.sequence == 1 { try store.writeDurably([7]) }
            }
        }
    }

    @Test func `shares its rows with the store when it waits`() async throws {
        let store = try Store.subscribed(on: disk)
        let session = store.session
        var cursor = try SubscriptionCursor(
            after: SubscriptionPosition(
                sequence: .zero, chainHash: session.empty.chainHash.description,
                keepsHistory: true), of: "mail",
            HistoryReader(log: session.engine, empty: session.empty), from: session.empty)
        func next() throws -> AppliedEvent? {
            guard case .event(let event) = try cursor.next(through: store.sequence, where: nil)
            else { return nil }
            cursor.noteHandled()
            return event
        }
        func isShared(_ event: AppliedEvent?) -> Bool {
            let rows = [event?.stateAfter, store.view.current].map { state in
                state?.table("Note")?.row(Self.id)
            }
            return rows[0] != nil && rows[0] === rows[1]
        }
        try store.writeDurably([1])
        let first = try next()
        #expect(!isShared(first))
        #expect(try next() == nil)
        cursor.share(store.view.current)
        try store.writeDurably([2])
        let second = try next()
        #expect(isShared(second))
        #expect(second?.stateAfter.projections == nil)
    }

    private static let id = RecordID(ByteString([1]))

    @Test func `gets the deletion of all records, also of some ids`() async throws {
        let store = try Store.subscribed(on: disk)
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let mailbox = mailbox
        let filter = try EventFilter(changing: Note.self, 3)
        let subscription = try store.subscribe("mail", to: filter) { mailbox.receive($0) }
        func clear() throws {
            try store.write(durability: .durable) { try $0.deleteAll(Note.self) }
        }
        try store.writeDurably(1...3)
        try clear()
        try store.writeDurably([5])
        try clear()
        try await subscription.waitUntilHandled(6)
        #expect(mailbox.sequences == [3, 4])
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
        let another = try Store(on: other, entities: Note.self, seed: 2)
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

import Dispatch
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.mayHang) struct `A position that is kept elsewhere` {
    private let disk = SimulatedDisk()
    private let positions = KeptPositions()
    private let mailbox = Mailbox()

    private func open() throws -> Store {
        try Store.subscribed(on: disk) { $0.subscriptionPositions = positions }
    }

    @Test func `is saved there`() async throws {
        let store = try open()
        try store.writeDurably(1...3)
        try store.setPosition(ofSubscription: "mail", to: 1)
        let mailbox = mailbox
        let subscription = try store.subscribe("mail") { mailbox.receive($0) }
        try await subscription.waitUntilHandled(3)
        try store.close()
        #expect(mailbox.sequences == [2, 3])
        #expect(positions.all()["mail"]?.sequence == 3)
        #expect(disk.contents["subscriptions/mail.position"] == nil)
    }

    @Test func `can be committed with the effect`() async throws {
        let store = try open()
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (positions, mailbox) = (positions, mailbox)
        let effects = Locked<[SequenceNumber]>([])
        // Each second commit is the last one of its process.
        for round in 0..<3 {
            let subscription = try store.subscribe("mail", sleep: { _ in }) { event in
                if mailbox.sequences.contains(event.sequence) { return }
                effects.withLock { $0.append(event.sequence) }
                try positions.save(SubscriptionPosition(after: event), of: "mail")
                mailbox.receive(event)
            }
            let last = store.sequence.advanced(by: 2)
            try store.writeDurably([round * 2, round * 2 + 1])
            try await subscription.waitUntilHandled(last)
            subscription.cancel()
        }
        #expect(effects.withLock { $0 } == [1, 2, 3, 4, 5, 6])
        #expect(positions.all()["mail"]?.sequence == 6)
    }

    @Test(
        arguments: [
            Mailbox.Unreachable(), StoreError(.io, ""), StoreError(.serverUnavailable, ""),
            // A new primary has no standbys yet.
            StoreError(.insecureDurability, ""),
        ] as [any Error])
    func `is asked for again after an error`(error: any Error) async throws {
        let store = try open()
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (gate, mailbox) = (EventSignal(.zero), mailbox)
        let subscription = try store.subscribe(
            "mail", sleep: { _ in _ = await gate.wait(after: .zero) }
        ) { mailbox.receive($0) }
        store.suspend()
        positions.fail(reading: 3, with: error)
        try store.resume()
        gate.raise(1)
        try store.writeDurably([1])
        try await subscription.waitUntilHandled(1)
        #expect(mailbox.sequences == [1])
    }

    @Test func `is not saved after it was removed or set`() async throws {
        let store = try open()
        let (isIn, gate) = (EventSignal(.zero), DispatchSemaphore(value: 0))
        for isRemoval in [false, true] {
            try store.setPosition(ofSubscription: "mail", to: store.sequence)
            let subscription = try store.subscribe("mail", sleep: { _ in }) { _ in }
            let last = store.sequence.next
            positions.whenSaving { sequence in
                guard sequence == last else { return }
                isIn.raise(last)
                gate.wait()
            }
            try store.writeDurably([isRemoval ? 1 : 2])
            #expect(await isIn.wait(after: last.advanced(by: -1)))
            subscription.cancel()
            positions.whenSaving { _ in }
            // It waits for the save that has begun.
            async let moved: Void = Self.onThread {
                if isRemoval {
                    try store.removeSubscription("mail")
                } else {
                    try store.setPosition(ofSubscription: "mail", to: .zero)
                }
            }
            gate.signal()
            try await moved
            let again = try? store.position(ofSubscription: "mail")
            #expect(again == (isRemoval ? nil : .zero))
        }
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, _>) in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test func `is not moved before an event is durable`() async throws {
        let store = try open()
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (gate, mailbox) = (EventSignal(.zero), mailbox)
        let subscription = try store.subscribe(
            "mail", sleep: { _ in _ = await gate.wait(after: .zero) }
        ) { event in
            mailbox.receive(event)
            if event.sequence == 1 { try store.writeBuffered(2...5) }
        }
        try store.writeDurably([1])
        // It is saved when there is nothing left to handle.
        #expect(await positions.saved.wait(after: .zero))
        #expect(positions.all()["mail"]?.sequence == 1)
        #expect(store.sequence == 5 && mailbox.sequences == [1])
        try store.writeDurably([6])
        try await subscription.waitUntilHandled(6)
        #expect(mailbox.sequences == [1, 2, 3, 4, 5, 6])
    }

    /// A handler that has committed its effect and the position, and has not returned yet.
    @Test(arguments: [false, true])
    func `is left to the handler that moves it`(isCancelled: Bool) async throws {
        let store = try open()
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (positions, committed, gate) = (positions, EventSignal(.zero), EventSignal(.zero))
        let saved = Locked<[SequenceNumber]>([])
        positions.whenSaving { sequence in saved.withLock { $0.append(sequence) } }
        let subscription = try store.subscribe("mail", sleep: { _ in }) { event in
            guard event.sequence == 3 else { return }
            try positions.save(SubscriptionPosition(after: event), of: "mail")
            committed.raise(1)
            _ = await gate.wait(after: .zero)
            if isCancelled { throw CancellationError() }
        }
        try store.writeDurably(1...3)
        #expect(await committed.wait(after: .zero))
        if isCancelled { subscription.cancel() }
        try Self.close(store)
        gate.raise(1)
        #expect(positions.all()["mail"]?.sequence == 3)
        #expect(saved.withLock { $0 }.sorted() == saved.withLock { $0 })
    }

    private static func close(_ store: Store) throws { try store.close() }

    @Test func `that cannot be saved stops nothing`() async throws {
        let errors = Locked<[any Error]>([])
        let store = try Store.subscribed(on: disk) { options in
            options.subscriptionPositions = positions
            options.onError = { error in errors.withLock { $0.append(error) } }
        }
        try store.setPosition(ofSubscription: "mail", to: .zero)
        positions.fail(saving: 3)
        let mailbox = mailbox
        let subscription = try store.subscribe(
            "mail", retrying: RetryPolicy(attemptsMax: 1), sleep: { _ in }
        ) { mailbox.receive($0) }
        try store.writeDurably([1])
        #expect(await positions.saved.wait(after: .zero))
        try store.writeDurably([2])
        try await subscription.waitUntilHandled(2)
        #expect(mailbox.sequences == [1, 2])
        guard case .running = subscription.state else {
            Issue.record("\(subscription.state)")
            return
        }
        store.resources.options.callbackQueue.sync {}
        #expect(errors.withLock { $0.count } == 1)
    }
}

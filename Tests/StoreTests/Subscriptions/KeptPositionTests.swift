import Dispatch
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.timeLimit(.minutes(5))) struct `A position that is kept elsewhere` {
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

    @Test func `is asked for again after an error`() async throws {
        let store = try open()
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (gate, mailbox) = (EventSignal(.zero), mailbox)
        let subscription = try store.subscribe(
            "mail", sleep: { _ in _ = await gate.wait(after: .zero) }
        ) { mailbox.receive($0) }
        store.suspend()
        positions.fail(reading: 3)
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

    @Test func `is saved while a handler takes long`() async throws {
        let store = try open()
        try store.setPosition(ofSubscription: "mail", to: .zero)
        let (positions, mailbox) = (positions, mailbox)
        let subscription = try store.subscribe("mail", sleep: { _ in }) { event in
            // The position is saved before this handler returns.
            if event.sequence == 3 { _ = await positions.saved.wait(after: 1) }
            mailbox.receive(event)
        }
        try store.writeDurably(1...3)
        try await subscription.waitUntilHandled(3)
        #expect(mailbox.sequences == [1, 2, 3])
    }

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

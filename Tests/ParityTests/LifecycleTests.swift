import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// A source whose events the test makes.
private final class Script: LifecycleSource {
    private let handlers = Locked<[Int: @Sendable (LifecycleEvent) -> Void]>([:])
    private let keptCount = Locked(0)

    var handlerCount: Int { handlers.withLock { $0.count } }
    var keepAliveCount: Int { keptCount.withLock { $0 } }

    func observe(
        _ handler: @escaping @Sendable (LifecycleEvent) -> Void
    ) -> LifecycleObservation {
        let number = handlers.withLock { handlers in
            handlers[handlers.count] = handler
            return handlers.count - 1
        }
        return LifecycleObservation { [handlers] in handlers.withLock { $0[number] = nil } }
    }

    func keepAlive(while body: () -> Void) {
        keptCount.withLock { $0 += 1 }
        body()
    }

    func emit(_ event: LifecycleEvent) {
        for handler in handlers.withLock({ Array($0.values) }) { handler(event) }
    }
}

@Suite struct `The lifecycle of an app` {
    @Test func `S-018: makes everything durable before the app ends`() throws {
        let disk = GatedDisk(SimulatedDisk(hasCheckpoints: false))
        disk.allowSyncs(100)
        let store = try Store(
            Schema([Account.self]), Store.Options(), Environment(disk: disk))
        let script = Script()
        let reactor = try LifecycleReactor(store, source: script)
        // The disk is slow from here on.
        let begunCount = disk.blockSyncs()
        for number in 1...3 { store.writeAsync { try $0.insert(Account(id: number)) } }
        let ended = Monitor(false)
        Thread.detachNewThread {
            script.emit(.willTerminate)
            ended.change { $0 = true }
        }
        disk.waitForSyncs(begunCount + 1)
        #expect(ended.withLock { $0 } == false)
        #expect(
            try Store(on: disk.disk.crashed(keeping: 0), entities: Account.self)
                .count(Account.self) == 0)
        disk.allowSyncs(1_000)
        ended.wait { $0 ? () : nil }
        #expect(script.keepAliveCount == 1)
        // A power cut, which takes what is not durable.
        let found = try Store(on: disk.disk.crashed(keeping: 0), entities: Account.self)
        #expect(try found.count(Account.self) == 3)
        reactor.stop()
    }

    @Test(arguments: Medium.allCases)
    func `S-018: suspends the store in the background and resumes it`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let script = Script()
        let reactor = try LifecycleReactor(store, source: script)
        try store.write { try $0.insert(User.john) }
        script.emit(.willResignActive)
        script.emit(.didEnterBackground)
        #expect(code { try store.write { try $0.insert(User.jane) } } == .suspended)
        // What cannot be flushed now was flushed before.
        script.emit(.willTerminate)
        script.emit(.willEnterForeground)
        try store.write { try $0.insert(User.jane) }
        #expect(try home.reopened(store).count(User.self) == 2)
        withExtendedLifetime(reactor) {}
    }

    @Test func `S-018: comes from notifications`() throws {
        let center = NotificationCenter()
        let source = AppNotifications(center)
        let events = Locked<[LifecycleEvent]>([])
        let observation = source.observe { event in events.withLock { $0.append(event) } }
        let names = [
            "WillResignActive", "DidEnterBackground", "WillEnterForeground", "WillTerminate",
        ]
        func post() {
            for name in names {
                center.post(name: .init("UIApplication\(name)Notification"), object: nil)
            }
        }
        post()
        #expect(events.withLock { $0 } == LifecycleEvent.allCases)
        observation.cancel()
        post()
        #expect(events.withLock { $0.count } == 4)
    }

    @Test(arguments: Medium.allCases)
    func `S-019: flushes with one call of a completion on the callback queue`(medium: Medium) throws
    {
        let key = DispatchSpecificKey<Bool>()
        let home = try Home(medium)
        home.options.callbackQueue.setSpecific(key: key, value: true)
        let store = try home.open()
        let calls = Monitor<[Bool]>([])
        store.flush { result in
            let isRight = DispatchQueue.getSpecific(key: key) == true && (try? result.get()) != nil
            calls.change { $0.append(isRight) }
        }
        calls.wait { $0.isEmpty ? nil : () }
        home.options.callbackQueue.sync {}
        #expect(calls.withLock { $0 } == [true])
        #expect(store.sequence == 0)

        try store.close()
        store.flush { result in calls.change { $0.append(code { try result.get() } == .closed) } }
        #expect(calls.wait { $0.count == 2 ? $0 : nil } == [true, true])
        #expect(code { try store.flush() } == .closed)
    }

    @Test func `S-019: flushes what was queued, on the caller's thread or in a task`() async throws
    {
        let disk = SimulatedDisk(hasCheckpoints: false)
        var options = Store.Options()
        // Nothing else syncs.
        options.syncInterval = .seconds(1_000)
        let store = try Store(on: disk, entities: Account.self, options: options)
        for number in 1...3 { store.writeAsync { try $0.insert(Account(id: number)) } }
        try await store.flush()
        func durableCount() throws -> Int {
            try Store(on: disk.crashed(keeping: 0), entities: Account.self).count(Account.self)
        }
        #expect(try durableCount() == 3)
        try await Caller.background.run {
            store.writeAsync { try $0.insert(Account(id: 4)) }
            try store.flush()
        }
        #expect(try durableCount() == 4)
        #expect(code { try store.write { _ in try store.flush() } } == .nestedWrite)
    }

    @Test(arguments: Medium.allCases)
    func `S-020: is not followed by a released store or reactor`(medium: Medium) throws {
        let home = try Home(medium)
        let script = Script()
        weak var released: Store?
        do {
            let store = try home.open()
            try store.write { try $0.insert(User.john) }
            let reactor = try LifecycleReactor(store, source: script)
            released = store
            #expect(script.handlerCount == 1)
            withExtendedLifetime(reactor) {}
        }
        #expect(released == nil)
        #expect(script.handlerCount == 0)

        // The reactor is all that is left of its store.
        let kept: LifecycleReactor
        do { kept = try LifecycleReactor(try home.open(), source: script) }
        for event in LifecycleEvent.allCases { script.emit(event) }
        let store = try home.open()
        kept.stop()
        kept.stop()
        #expect(script.handlerCount == 0)
        try store.write { try $0.insert(User.jane) }
    }
}

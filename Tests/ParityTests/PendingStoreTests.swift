import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A store that opens in the background` {
    /// Steps in the order in which they came.
    private final class Steps: Sendable {
        private let steps = Monitor<[String]>([])

        func add(_ step: String) { steps.change { $0.append(step) } }

        func wait(for count: Int) async throws -> [String] {
            try await Caller.background.run { [steps] in
                steps.wait { $0.count >= count ? $0 : nil }
            }
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-010: returns first, and completes on the callback queue`(medium: Medium) async throws {
        let home = try Home(medium)
        let key = DispatchSpecificKey<Bool>()
        home.options.callbackQueue.setSpecific(key: key, value: true)
        let steps = Steps()
        let gate = Gate()
        let (url, options) = (home.directory.store, home.options)
        let pending = PendingStore(options: home.options) { result in
            let isOnQueue = DispatchQueue.getSpecific(key: key) == true
            steps.add("completion \(isOnQueue) \((try? result.get()) != nil)")
        } opening: {
            try await Caller.background.run {
                gate.pass()
                return switch medium {
                case .disk: try Store(at: url, entities: Account.self, options: options)
                case .memory: try Store(inMemory: Account.self, options: options)
                }
            }
        }
        steps.add("after init")
        for number in 1...100 {
            pending.writeAsync(by: "alice") {
                try $0.insert(Account(id: number))
            } completion: {
                steps.add("\((try? $0.get())?.sequence?.rawValue ?? 0)")
            }
        }
        gate.open()
        let store = try await pending.store
        store.writeAsync { try $0.insert(Account(id: 101)) }
        try await store.flush()
        let found = try await steps.wait(for: 102)
        #expect(found.first == "after init")
        #expect(
            found.filter { !$0.hasPrefix("completion") }.dropFirst()
                == (1...100).map { "\($0)" }[...])
        #expect(found.contains("completion true true"))
        #expect(try store.all(Account.self).map(\.id) == Array(1...101))
        #expect(try store.event(1)?.metadata.actor == "alice")
        // It takes writes as the store does.
        let done = Completions()
        pending.writeAsync {
            try $0.insert(Account(id: 102))
        } completion: {
            done.add($0)
        }
        #expect(try await done.waitInBackground(for: 1)[0].get().sequence == 102)
        withExtendedLifetime(home) {}
    }

    @Test func `S-010: gives each queued write the error if it cannot be opened`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "Test.skyros")
        let reported = Monitor<[StoreError.Code?]>([])
        var options = Store.Options()
        options.onError = { error in reported.change { $0.append((error as? StoreError)?.code) } }
        let opened = Monitor<StoreError.Code?>(nil)
        let pending = PendingStore(
            at: directory.store, entities: Account.self, options: options
        ) { result in
            let found = code { _ = try result.get() }
            opened.change { $0 = found }
        }
        let completions = Completions()
        for number in 1...3 {
            pending.writeAsync {
                try $0.insert(Account(id: number))
            } completion: {
                completions.add($0)
            }
        }
        pending.writeAsync { try $0.insert(Account(id: 4)) }
        #expect(try await Caller.background.run { opened.wait { $0 } } == .notAStore)
        for result in try await completions.waitInBackground(for: 3) {
            #expect(code { _ = try result.get() } == .notAStore)
        }
        let errors = try await Caller.background.run { reported.wait { $0.isEmpty ? nil : $0 } }
        #expect(errors == [.notAStore])
        await #expect(throws: StoreError(.notAStore, "")) { _ = try await pending.store }
        #expect(try directory.bytes(of: "Test.skyros") == [1])
    }

    @Test(.inFiles) func `S-010: opens the store at a URL`() async throws {
        let home = try Home(.disk)
        try home.open().close()
        let pending = PendingStore(
            at: home.directory.store, entities: User.self, Pet.self, Account.self)
        pending.writeAsync { try $0.insert(User.john) }
        #expect(try await home.reopened(pending.store).all(User.self) == [.john])
    }
}

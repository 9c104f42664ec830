import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// Makes every call from within every callback of the store, and finds no deadlock. The time limit
/// ends the test if there is one.
@Suite(.mayHang) struct `A call in a callback` {
    /// The callbacks of the store.
    enum Outer: CaseIterable {
        case writeBlock, asyncWriteBlock, queuedWriteBlock, completion, durableCompletion, event,
            errorHandler, readBlock, borrowedValue, replay
    }

    /// The calls that an app may make there.
    enum Inner: CaseIterable {
        case get, all, snapshotOfThePast, history, replay, write, queuedWrite, durableWrite, close
    }

    /// An error handler whose action is set later.
    private final class Handler: Sendable {
        private let body = Locked<(@Sendable () -> Void)?>(nil)

        func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

        /// Runs the action at the first call.
        func handle() { body.withLock { $0.take() }?() }
    }

    private let disk = SimulatedDisk()
    private let handler = Handler()
    private let returned = Locked(0)

    @Test(arguments: Outer.allCases, Inner.allCases)
    func `returns, whatever call it is in (F47)`(outer: Outer, inner: Inner) async throws {
        var options = Store.Options()
        options.syncInterval = .milliseconds(1)
        options.onError = { [handler] _ in handler.handle() }
        let store = try Store(on: disk, entities: Counter.self, options: options)
        try store.writeSync { try $0.insert(Counter(id: "a", value: 1)) }
        try await run(outer, store) { [returned] in
            Self.call(inner, store)
            returned.withLock { $0 += 1 }
        }
        #expect(returned.withLock { $0 } == 1)
        // Closing fails if the disk has failed.
        do { try store.close() } catch { #expect(outer == .errorHandler) }
    }

    private static func call(_ inner: Inner, _ store: Store) {
        do {
            let counter = Counter(id: UUID().uuidString, value: 2)
            switch inner {
            case .get: _ = try store.get(Counter.self, "a")
            case .all: _ = try store.all(Counter.self)
            case .snapshotOfThePast: _ = try store.snapshot(asOf: .sequence(1))
            case .history: _ = try store.history(of: Counter.self, "a")
            case .replay: try store.events().forEach { _ in }
            case .write: try store.write { try $0.insert(counter) }
            case .queuedWrite: store.writeAsync { try $0.insert(counter) }
            case .durableWrite: try store.write(durability: .durable) { try $0.insert(counter) }
            case .close: try store.close()
            }
        } catch {
            // Expected for a nested write, a write after closing and a failed disk.
            let code = (error as? StoreError)?.code
            let refusals: [StoreError.Code] = [.nestedWrite, .closed, .durabilityLost, .io]
            #expect(code.map(refusals.contains) == true, "\(error)")
        }
    }

    /// Makes the store call `body` once, and waits for it.
    private func run(
        _ outer: Outer, _ store: Store, _ body: @escaping @Sendable () -> Void
    ) async throws {
        switch outer {
        case .writeBlock: try store.writeSync { _ in body() }
        case .asyncWriteBlock: try await store.write { _ in body() }
        case .queuedWriteBlock:
            await withCheckedContinuation { continuation in
                store.writeAsync({ _ in body() }, completion: { _ in continuation.resume() })
            }
        case .completion, .durableCompletion:
            await withCheckedContinuation { continuation in
                store.writeAsync(
                    durability: outer == .completion ? .buffered : .durable,
                    { try $0.insert(Counter(id: "b", value: 1)) },
                    completion: { _ in
                        body()
                        continuation.resume()
                    })
            }
        case .event:
            for try await _ in store.changes(after: 0) {
                body()
                break
            }
        case .errorHandler:
            await withCheckedContinuation { continuation in
                handler.set {
                    body()
                    continuation.resume()
                }
                disk.inject(Fault(.syncFile, isLasting: true))
                _ = try? store.write { try $0.insert(Counter(id: "b", value: 1)) }
            }
        case .readBlock: store.read { _ in body() }
        case .borrowedValue: _ = try store.withValue(of: Counter.self, "a") { _ in body() }
        case .replay:
            try store.events(1...1).forEach { _ in body() }
        }
    }
}

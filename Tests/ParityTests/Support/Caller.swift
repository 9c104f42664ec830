import Dispatch
import Foundation
import Skyros
import SkyrosDisk

/// The thread that a test calls from.
enum Caller: CaseIterable {
    case main, background

    private static let mainQueueKey = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the current thread runs code for the main actor. On Linux that need not be the
    /// thread that started the process.
    static var isMain: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

    /// Calls `body` on the thread.
    func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        switch self {
        case .main: try await MainActor.run { try body() }
        case .background:
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
            }
        }
    }
}

/// The results that completions were called with, in the order of the calls.
final class Completions: Sendable {
    private let results = Monitor<[Result<Receipt, any Error>]>([])

    func add(_ result: Result<Receipt, any Error>) {
        results.change { $0.append(result) }
    }

    /// Waits for `count` calls, and returns the results of all calls so far.
    @discardableResult
    func wait(for count: Int) -> [Result<Receipt, any Error>] {
        results.wait { $0.count >= count ? $0 : nil }
    }

    /// Waits on another thread, so that no thread of the cooperative pool is blocked.
    func waitInBackground(for count: Int) async throws -> [Result<Receipt, any Error>] {
        try await Caller.background.run { self.wait(for: count) }
    }
}

/// A point that one thread waits at until another lets it pass.
final class Gate: Sendable {
    private let state = Monitor((isReached: false, isOpen: false))

    /// Waits until the gate is open.
    func pass() {
        state.change { $0.isReached = true }
        state.wait { $0.isOpen ? () : nil }
    }

    /// Waits until a thread waits at the gate.
    func waitUntilReached() { state.wait { $0.isReached ? () : nil } }

    func open() { state.change { $0.isOpen = true } }
}

import Foundation
import SkyrosDisk
package import Testing

/// What takes long, or waits for other processes, runs on threads of its own. The pool has a thread
/// for each processor: held for minutes, other tests would wait for one until their time is over.
package struct LongTests: SuiteTrait, TestTrait, TestScoping {
    /// Whether this is such a thread.
    package static var isOnOwnThread: Bool {
        Thread.current.threadDictionary[OwnThreads.mark] != nil
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThreads.shared) { try await body() }
    }
}

extension Trait where Self == LongTests {
    package static var long: LongTests { LongTests() }
}

/// Twice as many threads as there are processors, since some wait for other processes. The pool's
/// threads go first, and so do tests that are short.
private final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads()
    static let mark = "long tests"

    private let jobs = Monitor<[UnownedJob]>([])

    private init() {
        for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
            Thread.detachNewThread { [unowned self] in run() }
        }
    }

    private func run() {
        Thread.current.threadDictionary[Self.mark] = true
        #if os(Linux)
            // There it is a thread's own, and of the threads and processes that it begins.
            errno = 0
            precondition(nice(10) != -1 || errno == 0, "nice failed: \(errno)")
        #endif
        while true {
            let job = jobs.wait { $0.isEmpty ? nil : $0.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.change { $0.append(job) }
    }
}

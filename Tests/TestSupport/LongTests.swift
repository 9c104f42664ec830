import Foundation
import SkyrosDisk
package import Testing

/// A trait for tests that run long or wait for other processes: they run on dedicated threads.
/// Swift's thread pool has one thread per processor. A test that blocks one for minutes would let
/// other tests run into their time limits.
package struct LongTests: SuiteTrait, TestTrait, TestScoping {
    /// Whether the current thread is a dedicated one.
    package static var isOnDedicatedThread: Bool {
        Thread.current.threadDictionary[LongTestExecutor.key] != nil
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(LongTestExecutor.shared) { try await body() }
    }
}

extension Trait where Self == LongTests {
    package static var long: LongTests { LongTests() }
}

extension Trait where Self == TimeLimitTrait {
    /// For a test that would hang if what it tests were wrong: it ends with an error. The limit
    /// counts the wait for one of the pool's threads, on which a deep run is busy for long.
    package static var mayHang: TimeLimitTrait {
        .timeLimit(.minutes(Extent.pick(brief: 15, quick: 15, deep: 120)))
    }
}

/// Two threads per processor, since some wait for other processes. They have a lower priority
/// than the pool's threads, which run the short tests.
private final class LongTestExecutor: TaskExecutor {
    static let shared = LongTestExecutor()
    static let key = "long tests"

    private let jobs = Monitor<[UnownedJob]>([])

    private init() {
        for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
            Thread.detachNewThread { [unowned self] in run() }
        }
    }

    private func run() {
        Thread.current.threadDictionary[Self.key] = true
        #if os(Linux)
            // On Linux `nice` is per thread, and inherited by the threads and processes it starts.
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

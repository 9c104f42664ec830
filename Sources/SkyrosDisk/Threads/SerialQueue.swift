#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Tells threads apart.
package struct ThreadID: Hashable, Sendable {
    private let rawValue: UInt

    /// The thread that asks.
    package static var current: ThreadID {
        #if canImport(Darwin)
            ThreadID(rawValue: UInt(bitPattern: pthread_self()))
        #else
            ThreadID(rawValue: UInt(pthread_self()))
        #endif
    }
}

/// A thread of its own that runs jobs one after the other, in the order in which they came. The
/// first one starts it.
///
/// Syncs and the like block for long; on the threads of the cooperative pool, of which there are
/// as many as processors, they would hold up everybody else.
package final class SerialQueue: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct Queue: Sendable {
        var jobs: [Job] = []
        var hasBegun = false
        var isStopping = false
        var hasEnded = false
        var thread: ThreadID?
    }

    private let queue = Monitor(Queue())

    package init() {}

    deinit {
        queue.change { $0.isStopping = true }
    }

    /// Adds a job to the end of the queue; does nothing after `stop`.
    package func enqueue(_ job: @escaping Job) {
        let isFirst = queue.change { queue in
            guard !queue.isStopping else { return false }
            queue.jobs.append(job)
            defer { queue.hasBegun = true }
            return !queue.hasBegun
        }
        guard isFirst else { return }
        // The thread holds the queue, not the worker, and ends with the worker.
        let queue = queue
        Self.start { Self.run(queue) }
    }

    /// Ends the thread once all jobs in the queue have run, and waits for that, unless it is
    /// called by one of the jobs.
    package func stop() {
        queue.change { $0.isStopping = true }
        queue.wait { !$0.hasBegun || $0.hasEnded || $0.thread == .current ? () : nil }
    }

    private static func run(_ queue: Monitor<Queue>) {
        queue.withLock { $0.thread = .current }
        while true {
            let jobs = queue.wait { queue -> [Job]? in
                if queue.jobs.isEmpty { return queue.isStopping ? [] : nil }
                defer { queue.jobs = [] }
                return queue.jobs
            }
            if jobs.isEmpty { break }
            for job in jobs { job() }
        }
        queue.change { $0.hasEnded = true }
    }

    private static func start(_ body: @escaping Job) {
        let start = Unmanaged.passRetained(Start(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { Start.run($0) }, start)
        #else
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { Start.run($0) }, start)
        #endif
        precondition(code == 0, "The system gives no more threads.")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    /// Carries a closure over to the new thread.
    private final class Start: Sendable {
        private let body: Job

        init(_ body: @escaping Job) {
            self.body = body
        }

        static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let context else { return nil }
            Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
            return nil
        }
    }
}

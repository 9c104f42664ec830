#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The identity of a thread.
package struct ThreadID: Hashable, Sendable {
    private let rawValue: UInt

    /// The calling thread.
    package static var current: ThreadID {
        #if canImport(Darwin)
            ThreadID(rawValue: UInt(bitPattern: pthread_self()))
        #else
            ThreadID(rawValue: UInt(pthread_self()))
        #endif
    }
}

/// A queue that runs its jobs on one dedicated thread, in the order of the calls. The first job
/// starts the thread.
///
/// Jobs such as syncs block for long. The cooperative pool has one thread for each processor, so
/// blocking there would stop other tasks.
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

    /// Appends a job; does nothing after `stop`.
    package func enqueue(_ job: @escaping Job) {
        let isFirst = queue.change { queue in
            guard !queue.isStopping else { return false }
            queue.jobs.append(job)
            defer { queue.hasBegun = true }
            return !queue.hasBegun
        }
        guard isFirst else { return }
        // The thread retains the state only, so it ends when the queue is released.
        let queue = queue
        Self.start { Self.run(queue) }
    }

    /// Ends the thread after the jobs in the queue, and waits for its end, unless one of the jobs
    /// calls it.
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
        precondition(code == 0, "The process cannot create another thread.")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    /// Carries a closure to the new thread.
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

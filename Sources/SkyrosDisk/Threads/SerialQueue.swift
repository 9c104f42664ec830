import SkyrosPlatform

/// The identity of a thread.
package struct ThreadID: Hashable, Sendable {
    private let rawValue: UInt

    /// The calling thread.
    package static var current: ThreadID {
        ThreadID(rawValue: Platform.threadNumber)
    }
}

/// The system refuses this process another thread.
package struct ThreadShortage: Error, Equatable, Sendable {
    /// The system's error number.
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }
}

extension ThreadShortage: CustomStringConvertible {
    package var description: String {
        "the system gives this process no further thread (errno \(code)); end some threads, or "
            + "raise their limit (ulimit -u)"
    }
}

/// A queue that runs its jobs on one dedicated thread, in the order of the calls. The first job
/// starts the thread.
///
/// Jobs such as syncs block for long. The cooperative pool has one thread for each processor, so
/// blocking there would stop other tasks.
package final class SerialQueue: Sendable {
    package typealias Job = @Sendable () -> Void
    /// Runs a body on a new thread; returns an error number or 0.
    package typealias ThreadStarter = @Sendable (_ body: @escaping Job) -> Int32

    private struct Queue: Sendable {
        var jobs: [Job] = []
        var hasBegun = false
        var isStopping = false
        var hasEnded = false
        var thread: ThreadID?
    }

    private let queue = Monitor(Queue())

    private let startThread: ThreadStarter

    /// Makes a queue without a thread.
    package init(startingWith startThread: @escaping ThreadStarter = SerialQueue.startThread) {
        self.startThread = startThread
    }

    deinit {
        queue.change { $0.isStopping = true }
    }

    /// Appends a job; does nothing after `stop`.
    ///
    /// - Throws: if the job needs the first thread and there is none; the job does not run then.
    package func enqueue(_ job: @escaping Job) throws(ThreadShortage) {
        try start()
        queue.change { queue in
            if !queue.isStopping { queue.jobs.append(job) }
        }
    }

    /// Starts the thread, unless it was started or stopped before.
    package func start() throws(ThreadShortage) {
        // The thread retains the state only, so it ends when the queue is released.
        let queue = queue
        // Under the lock, for which the new thread waits: no other caller may take the thread for
        // started before the system has given it.
        let code = queue.withLock { state -> Int32 in
            guard !state.isStopping, !state.hasBegun else { return 0 }
            let code = startThread { Self.run(queue) }
            state.hasBegun = code == 0
            return code
        }
        guard code == 0 else { throw ThreadShortage(code: code) }
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

    /// Runs `body` on a new thread; returns an error number or 0.
    package static func startThread(_ body: @escaping Job) -> Int32 {
        Platform.startThread(body)
    }
}

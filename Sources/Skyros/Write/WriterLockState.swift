import SkyrosDisk

/// Who queues a job: the current task, or the thread if it runs none.
enum WriteCaller: Hashable, Sendable {
    case task(Int)
    case thread(ThreadID)

    static var current: WriteCaller {
        withUnsafeCurrentTask { task in
            task.map { .task($0.hashValue) } ?? .thread(.current)
        }
    }
}

/// A block that waits for the writer lock in a queue.
struct QueuedJob: Sendable {
    let caller: WriteCaller
    /// Whether it counts against the limit of the queue.
    let isBounded: Bool
    let body: @Sendable () -> Void
}

/// What `WriterLock` protects with its mutex: the owner and the waiters.
struct WriterLockState: Sendable {
    private(set) var isLocked = false
    /// The thread that holds the lock; nil while a job that got the lock has not started.
    var owner: ThreadID?
    /// Whether queued jobs have to wait.
    var arePaused = false

    private(set) var threads = WaitingQueue<WriterLock.SleepingThread>()
    private var jobs = WaitingQueue<QueuedJob>()
    /// The number of jobs that got the lock. Jobs are numbered from 1 in the order of the queue.
    private var startedJobCount: UInt64 = 0
    private var boundedJobCount = 0
    /// The thread that was woken and has not tried to lock since.
    private var woken: WriterLock.SleepingThread?
    /// Whether a woken thread has found the lock taken.
    private var isThreadOwed = false
    /// How often another was let in before the first waiting thread.
    private var bargingCount = 0

    private static let bargingMax = 32

    /// The number of blocks that may wait in the queue, apart from those whose callers wait.
    static let queuedJobsMax = 10_000

    /// Locks if the lock is free and no waiter is owed it.
    ///
    /// While the lock is free, a thread that may have it has been woken. Paused jobs, and threads
    /// that wait for them, cannot have it: they are neither barged nor a reason to wait.
    mutating func tryLock(_ thread: ThreadID) -> Bool {
        let isJobNext = !jobs.isEmpty && !arePaused
        let mayBarge = woken == nil || bargingCount < Self.bargingMax
        guard !isLocked, !isJobNext, mayBarge else { return false }
        if woken != nil { bargingCount += 1 }
        isLocked = true
        owner = thread
        return true
    }

    /// Adds the calling thread to the waiters, after the queued jobs of `caller`, or after all.
    mutating func addThread(afterJobsOf caller: WriteCaller?) -> WriterLock.SleepingThread {
        let own = jobs.lastPosition { caller == nil ? !arePaused : $0.caller == caller }
        let sleeping = WriterLock.SleepingThread(
            after: own.map { startedJobCount + UInt64($0) + 1 } ?? 0,
            isAfterAllJobs: caller == nil)
        threads.append(sleeping)
        return sleeping
    }

    /// Locks for a thread that was woken, unless another is in the lock.
    mutating func tryLock(_ thread: ThreadID, asWoken sleeping: WriterLock.SleepingThread) -> Bool {
        woken = nil
        guard !isLocked else {
            isThreadOwed = true
            return false
        }
        if let position = threads.firstPosition(where: { $0 === sleeping }) {
            threads.remove(at: position)
        }
        isThreadOwed = false
        bargingCount = 0
        isLocked = true
        owner = thread
        return true
    }

    /// Adds a job, which gets the lock if that is free.
    mutating func add(_ job: QueuedJob) throws -> WriterLock.Next {
        if job.isBounded, boundedJobCount >= Self.queuedJobsMax {
            throw StoreError(
                .limitExceeded,
                "\(boundedJobCount) write blocks wait in the queue already; this one was not "
                    + "queued. Write with await, or queue more once completions were called")
        }
        jobs.append(job)
        if job.isBounded { boundedJobCount += 1 }
        guard !isLocked, threads.isEmpty, !arePaused else { return .none }
        return startFirstJob().map { .start($0) } ?? .none
    }

    mutating func unlock() -> WriterLock.Next {
        owner = nil
        isLocked = false
        let position = threads.firstPosition {
            $0.neededJob <= startedJobCount || (arePaused && $0.isAfterAllJobs)
        }
        let thread = position.flatMap { threads[$0] }
        let mustWait = thread != nil && (isThreadOwed || bargingCount >= Self.bargingMax)
        let job = arePaused || mustWait ? nil : startFirstJob()
        if thread != nil, job != nil { bargingCount += 1 }
        // A thread that was woken will try to lock by itself.
        let sleeping = woken == nil ? thread : nil
        if let sleeping { woken = sleeping }
        return switch (job, sleeping) {
        case (nil, nil): .none
        case (nil, let sleeping?): .wake(sleeping)
        case (let job?, nil): .start(job)
        case (let job?, let sleeping?): .startAndWake(job, sleeping)
        }
    }

    mutating func continueJobs() -> WriterLock.Next {
        arePaused = false
        return isLocked ? .none : unlock()
    }

    /// Gives the lock to the first job.
    private mutating func startFirstJob() -> QueuedJob? {
        guard let job = jobs.removeFirst() else { return nil }
        startedJobCount += 1
        if job.isBounded { boundedJobCount -= 1 }
        isLocked = true
        return job
    }
}

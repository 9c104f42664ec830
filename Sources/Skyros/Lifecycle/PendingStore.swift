public import Foundation
import SkyrosDisk

/// A store that is being opened in the background: it takes writes already, and runs them once it
/// is open.
///
///     let pending = PendingStore(at: url, entities: Board.self) { result in show(result) }
///     pending.writeAsync { tx in try tx.upsert(board) }       // queued
///     let store = try await pending.store
///
/// No write is lost silently: if the store cannot be opened, the completion of each gets the error
/// of the opening.
public final class PendingStore: Sendable {
    private typealias Job = @Sendable (Result<Store, any Error>) -> Void

    private enum State: Sendable {
        case opening([Job])
        case finished(Result<Store, any Error>)
    }

    private let state = Locked(State.opening([]))
    private let options: Store.Options

    /// As many writes may wait as in an open store.
    private static let jobsMax = WriterLockState.queuedJobsMax

    /// Begins to open the store at `url`, or to create it, on another thread, and returns
    /// immediately.
    ///
    /// - Parameters:
    ///   - url: the store's directory.
    ///   - entities: the types.
    ///   - options: how the store behaves.
    ///   - completion: called once with the store or the error of the opening, on
    ///     ``Store/Options/callbackQueue``, after the writes that were queued before have been
    ///     passed to the store.
    public convenience init(
        at url: URL, entities: any Entity.Type..., options: Store.Options = Store.Options(),
        completion: @escaping @Sendable (Result<Store, any Error>) -> Void = { _ in }
    ) {
        self.init(options: options, completion: completion) {
            try await Self.onThread { try Store(at: url, entities: entities, options: options) }
        }
    }

    /// Begins to open a store by a closure of the app, in a task.
    ///
    /// - Parameters:
    ///   - options: those with which the closure opens the store: its callback queue and its error
    ///     handler are used before there is a store.
    ///   - completion: as in the other initialiser.
    ///   - opening: opens the store.
    public init(
        options: Store.Options = Store.Options(),
        completion: @escaping @Sendable (Result<Store, any Error>) -> Void = { _ in },
        opening: @escaping @Sendable () async throws -> Store
    ) {
        self.options = options
        Task.detached {
            let result: Result<Store, any Error>
            do {
                result = .success(try await opening())
            } catch {
                result = .failure(error)
            }
            self.finish(result)
            options.callbackQueue.async { completion(result) }
        }
    }

    /// The store, once it is open.
    ///
    /// - Throws: the error of the opening.
    public var store: Store {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                // Tasks that wait are few: they count in no bound.
                run(isBounded: false) { continuation.resume(with: $0) }
            }
        }
    }

    /// Queues a write block and returns immediately. It runs once the store is open, in the order
    /// of the calls, and before what is written to the store itself afterwards.
    ///
    /// Parameters and completion are those of
    /// ``Store/writeAsync(by:because:metadata:intent:expecting:durability:_:completion:)``. At most
    /// 10,000 blocks may wait: a further one does not run, and fails with `.limitExceeded`.
    public func writeAsync(
        by actor: String? = nil, because reason: String? = nil, metadata: Metadata = Metadata(),
        intent: (any DomainCommand)? = nil, durability: Durability? = nil,
        _ block: @escaping @Sendable (inout WriteTransaction) throws -> Void,
        completion: (@Sendable (Result<Receipt, any Error>) -> Void)? = nil
    ) {
        // That of the caller's task; the store is reached from another one.
        let metadata = metadata.completed(by: Metadata.current)
        run(isBounded: true) { [options] result in
            switch result {
            case .success(let store):
                store.writeAsync(
                    by: actor, because: reason, metadata: metadata, intent: intent,
                    durability: durability, block, completion: completion)
            case .failure(let error):
                let handler = completion == nil ? options.onError : nil
                options.callbackQueue.async {
                    completion?(.failure(error))
                    handler?(error)
                }
            }
        }
    }

    /// Runs the job once the opening has finished, after those before it.
    private func run(isBounded: Bool, _ job: @escaping Job) {
        let result: Result<Store, any Error>? = state.withLock { state in
            switch state {
            case .finished(let result): return result
            case .opening(var jobs):
                if isBounded, jobs.count >= Self.jobsMax { return .failure(Self.tooMany) }
                // Otherwise the list would be copied for each job.
                state = .opening([])
                jobs.append(job)
                state = .opening(jobs)
                return nil
            }
        }
        if let result { job(result) }
    }

    private static var tooMany: StoreError {
        StoreError(
            .limitExceeded,
            "\(jobsMax) write blocks wait for the store to open already; this one was not queued")
    }

    /// Runs the jobs that wait. Those that come meanwhile run after them.
    private func finish(_ result: Result<Store, any Error>) {
        while true {
            let jobs = state.withLock { state -> [Job] in
                guard case .opening(let jobs) = state else { return [] }
                state = jobs.isEmpty ? .finished(result) : .opening([])
                return jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job(result) }
        }
    }

    /// Runs `body`, which blocks, on a new thread.
    private static func onThread<R: Sendable>(
        _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let code = SerialQueue.startThread { continuation.resume(with: Result { try body() }) }
            if code != 0 { continuation.resume(throwing: StoreError(ThreadShortage(code: code))) }
        }
    }
}

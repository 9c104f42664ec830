import SkyrosDisk
import SkyrosLog

/// Asks the server where its log ends. Calls that wait at the same time share one question.
final class LatestHead: Sendable {
    private typealias Waiter = CheckedContinuation<LogHead, any Error>

    private struct State: Sendable {
        var waiters: [Waiter] = []
        var isAsking = false
        var hasEnded = false
        var isSuspended = false
    }

    private let makeServer: @Sendable () throws -> any LogServer
    private let queue = SerialQueue()
    private let state = Locked(State())
    /// Is called with each answer.
    private let observer = Locked<Callback<LogHead>?>(nil)
    /// Used on the queue only.
    private let server = Locked<(any LogServer)?>(nil)

    init(_ makeServer: @escaping @Sendable () throws -> any LogServer) {
        self.makeServer = makeServer
    }

    /// Calls `body` with each answer, before the waiting calls return it.
    func observe(_ body: @escaping @Sendable (LogHead) -> Void) {
        observer.withLock { $0 = Callback(body) }
    }

    /// The last event that the quorum has when it is asked, which is after this call.
    ///
    /// - Throws: `StoreError` with `.serverUnavailable`, `.closed`, `.suspended`.
    func ask() async throws -> LogHead {
        try await withCheckedThrowingContinuation { waiter in
            let begins = state.withLock { state -> Bool? in
                if state.hasEnded { return nil }
                state.waiters.append(waiter)
                defer { state.isAsking = true }
                return !state.isAsking
            }
            guard let begins else { return waiter.resume(throwing: StoreError.closed) }
            guard begins else { return }
            do {
                try queue.enqueue { [weak self] in self?.answerAll() }
            } catch {
                end(throwing: StoreError.wrapping(error))
            }
        }
    }

    /// Gives up the connection until `resume`.
    func suspend() {
        state.withLock { $0.isSuspended = true }
        server.withLock { $0 }?.disconnect()
    }

    func resume() { state.withLock { $0.isSuspended = false } }

    /// Ends with an error what waits.
    func stop() {
        state.withLock { $0.hasEnded = true }
        server.withLock { $0 }?.disconnect()
        queue.stop()
        end(throwing: .closed)
    }

    private func end(throwing error: StoreError) {
        let waiters = state.withLock { state in
            defer { (state.waiters, state.isAsking) = ([], false) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    private func answerAll() {
        while true {
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                if state.waiters.isEmpty { state.isAsking = false }
                return state.waiters
            }
            if waiters.isEmpty { return }
            let answer = Result { try head() }
            if case .success(let head) = answer { observer.withLock { $0 }?.call(head) }
            for waiter in waiters { waiter.resume(with: answer) }
        }
    }

    /// Asks; once again on a new connection if there is none, or it was lost.
    private func head() throws -> LogHead {
        if let server = server.withLock({ $0 }), let head = try? head(of: server) { return head }
        let next = try StoreError.wrap(try makeServer())
        server.withLock { $0 = next }
        do {
            // `stop` and `suspend` end the connection of before or this one, unless it is made
            // after they have.
            try checkOpen()
            try next.connect()
            try checkOpen()
            return try head(of: next)
        } catch {
            next.disconnect()
            throw (error as? ServerError).map { StoreError(LogError($0)) } ?? error
        }
    }

    private func checkOpen() throws(StoreError) {
        let (hasEnded, isSuspended) = state.withLock { ($0.hasEnded, $0.isSuspended) }
        if hasEnded { throw StoreError.closed }
        if isSuspended { throw StoreError.suspended }
    }

    private func head(of server: any LogServer) throws(ServerError) -> LogHead {
        // What is visible may not be replicated: the barrier waits until it is.
        let head = try server.state().head
        try server.waitForQuorum()
        return head
    }
}

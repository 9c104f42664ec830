#if Postgres
    import Foundation
    import Skyros
    import SkyrosPostgres

    /// One of several nodes of a store on PostgreSQL. The one that has the turn to write imports
    /// the history; when it is complete, each of them compares what it has with git.
    ///
    /// It prints the number of each commit that it has written, and the digest of the state at the
    /// end. It imports the commits up to a number that it reads from its standard input.
    struct ClusterNode: Sendable {
        let git: Git
        let url: String
        let cache: URL
        let name: String

        func run(checking count: Int, seed: UInt64) async throws {
            try git.requireCommit()
            let limit = CommitLimit()
            Thread.detachNewThread { limit.read() }
            let store = try Store(
                at: .postgres(url, cache: cache, node: name), entities: Importer.entities)
            let importing = Task { try await importCommits(into: store, limit) }
            try await waitForAll(store)
            importing.cancel()
            _ = await importing.result
            let checker = Checker(git: git)
            let checked = try checker.checkHistory(of: store, count, seed: seed) { _, _ in }
            let digest = try store.snapshot.digest()
            say("\(checked) states agree with git; digest \(digest)")
            try store.close()
        }

        /// Prints a line, which is not kept back until there are more.
        private func say(_ text: String) {
            FileHandle.standardOutput.write(Data("\(name): \(text)\n".utf8))
        }

        /// Imports whenever this node may write. A node that loses its turn may get it again.
        private func importCommits(into store: Store, _ limit: CommitLimit) async throws {
            while true {
                try await store.waitUntilWriter()
                do {
                    let node = self
                    // Not on a thread of the pool: git and the store make it wait.
                    try await Self.onThread { try node.importAll(into: store, limit) }
                    return
                } catch let error as StoreError where Self.isTemporary(error) {
                    say("\(error)")
                }
            }
        }

        private func importAll(into store: Store, _ limit: CommitLimit) throws {
            var next = (try store.get(Branch.self, Branch.main)?.commitCount ?? 0) + 1
            let importer = Importer(git: git)
            _ = try importer.run(into: store) {
                limit.wait(for: next)
            } report: { done, _ in
                next = done + 1
                say("commit \(done)")
            }
        }

        /// Whether another node writes now, or a server failed: what was written is there, and the
        /// next attempt continues after it.
        private static func isTemporary(_ error: StoreError) -> Bool {
            [.alreadyOpen, .serverUnavailable, .outcomeUnknown].contains(error.code)
        }

        /// Returns when this node shows all commits.
        private func waitForAll(_ store: Store) async throws {
            let total = Int(try git.line("rev-list", "--count", "--first-parent", "HEAD"))
            for try await branches in store.live(Branch.self)
            where branches.first?.commitCount == total {
                return
            }
        }

        private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
            let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: Result(catching: body)) }
            }
            try result.get()
        }
    }

    /// The last commit that may be imported: the number in the last line of the standard input. All
    /// may be when the input has ended.
    ///
    /// Unchecked because the compiler cannot see that the variable is guarded by the condition.
    private final class CommitLimit: @unchecked Sendable {
        private let condition = NSCondition()
        private var number = 0

        func read() {
            while let line = readLine() { set(Int(line) ?? 0) }
            set(.max)
        }

        func wait(for number: Int) {
            condition.lock()
            defer { condition.unlock() }
            while self.number < number { condition.wait() }
        }

        private func set(_ number: Int) {
            condition.lock()
            defer { condition.unlock() }
            self.number = max(self.number, number)
            condition.broadcast()
        }
    }
#endif

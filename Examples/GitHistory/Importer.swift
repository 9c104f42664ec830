import Foundation
import Skyros

/// Imports commits: one write block, and so one event, per commit.
struct Importer {
    let git: Git

    static let entities: [any Entity.Type] = [File.self, Branch.self]

    /// Imports the commits that are not in the store yet.
    ///
    /// - Parameters:
    ///   - place: the directory of the store.
    ///   - willImport: called before each commit.
    ///   - report: called after each commit with the number of commits in the store.
    /// - Returns: the number of imported commits.
    func run(
        into place: URL, willImport: () -> Void, report: (_ done: Int, _ total: Int) -> Void
    ) throws -> Int {
        // Before the store is opened, which creates it: a wrong path must not leave an empty store.
        try git.requireCommit()
        let store = try Store(at: place, entities: Self.entities)
        let count = try run(into: store, willImport: willImport, report: report)
        try store.close()
        return count
    }

    /// Imports the commits that are not in an open store yet.
    func run(
        into store: Store, willImport: () -> Void, report: (_ done: Int, _ total: Int) -> Void
    ) throws -> Int {
        let before = try store.get(Branch.self, Branch.main)
        let range = try range(after: before)
        let total = (before?.commitCount ?? 0) + (try count(range))
        var parser = CommitParser()
        var done = before?.commitCount ?? 0
        func add(_ commit: Commit) throws {
            willImport()
            done += 1
            try write(commit, number: done, to: store)
            report(done, total)
        }
        try git.run(CommitParser.arguments + [range]) { try parser.parse($0, add) }
        try parser.finish(add)
        return done - (before?.commitCount ?? 0)
    }

    /// Writes a commit: the author becomes the actor, the subject the reason, its time that at
    /// which it happened, and its hash a tag.
    private func write(_ commit: Commit, number: Int, to store: Store) throws {
        let metadata = Metadata(
            occurredAt: Date(timeIntervalSince1970: Double(commit.time)),
            tags: ["commit": commit.hash])
        try store.write(by: commit.author, because: commit.subject, metadata: metadata) { tx in
            for change in commit.changes {
                try apply(change, by: commit.author, &tx)
            }
            try tx.upsert(Branch(id: Branch.main, commit: commit.hash, commitCount: number))
        }
    }

    private func apply(
        _ change: Commit.Change, by author: String, _ tx: inout WriteTransaction
    ) throws {
        if change.status == "D" {
            try tx.delete(File.self, change.path)
            return
        }
        if try tx.exists(File.self, change.path) {
            try tx.update(File.self, change.path) { file in
                file.mode = change.mode
                file.blob = change.blob
                file.revision += 1
                file.author = author
            }
        } else {
            try tx.insert(
                File(
                    id: change.path, mode: change.mode, blob: change.blob, revision: 1,
                    author: author))
        }
    }

    private func range(after branch: Branch?) throws -> String {
        guard let branch else { return "HEAD" }
        do {
            _ = try git.output("merge-base", "--is-ancestor", branch.commit, "HEAD")
        } catch {
            throw Git.Failure(
                description: "the store ends at commit \(branch.commit), which is not in the "
                    + "history of HEAD; import into a new store")
        }
        return "\(branch.commit)..HEAD"
    }

    private func count(_ range: String) throws -> Int {
        Int(try git.line("rev-list", "--count", "--first-parent", range)) ?? 0
    }
}

import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

/// The entities of the example, declared again.
private struct File: Entity {
    var id: String
    var mode: String
    var blob: String
    var revision: Int
    var author: String
}

private struct Branch: Entity {
    var id: String
    var commit: String
    var commitCount: Int
}

/// Replays a store that the example wrote, and checks invariants on the way.
@Suite struct `A replay of a git history` {
    private let directory: TemporaryDirectory
    private let repository: URL
    /// The digest of the state after the bundled history. It depends on the commits only.
    private static let digest = "a2e830d4444e076f4f73fab58acfdf86"

    init() throws {
        directory = try TemporaryDirectory()
        repository = try Shell.bundledRepository(in: directory)
        let outcome = try Program("git-history").run(repository.path, directory.store.path)
        #expect(outcome.output.hasPrefix("imported 60 commits"), "\(outcome.errors)")
    }

    private var replay: Replay { Replay(of: directory.store, entities: File.self, Branch.self) }

    /// One line a commit, first parents only, oldest first.
    private func log(_ format: String) throws -> [String] {
        try Shell.lines(
            "git", "-C", repository.path, "log", "--first-parent", "--reverse",
            "--format=\(format)")
    }

    @Test func `keeps every invariant and ends with the recorded digest`() throws {
        let commits = try log("%H")
        let modes: Set = ["100644", "100755", "120000", "160000"]
        let result =
            try replay
            .checking("every file has one of git's modes and a blob") { state, _ in
                try state.all(File.self).allSatisfy { file in
                    modes.contains(file.mode) && file.blob.count == 40 && file.revision >= 1
                }
            }
            .checking("the actor is the author of every file that changed") { state, event in
                try event.changes.allSatisfy { change in
                    guard case .text(let path)? = change.id?.value,
                        let file = try state.get(File.self, path)
                    else { return true }
                    return file.author == event.metadata.actor
                }
            }
            .checking("each change of a file increments its revision") { state, event in
                try event.changes.allSatisfy { change in
                    guard case .text(let path)? = change.id?.value, change.entity == "File",
                        case .updated(_, _, let before, let after) = change
                    else { return true }
                    let revision = try state.get(File.self, path)?.revision
                    return try before.values["revision"]?.integer == revision.map { $0 - 1 }
                        && after.values["revision"]?.integer == revision
                }
            }
            .checking("the branch is at the commit") { state, event in
                let branch = try state.get(Branch.self, "first-parent")
                let number = Int(event.sequence.rawValue)
                return branch?.commit == commits[number - 1] && branch?.commitCount == number
                    && event.metadata.tags["commit"] == branch?.commit
            }
            .expecting(digest: Self.digest)
            .run()
        #expect(result.sequence == 60)
        let tree = try Shell.lines("git", "-C", repository.path, "ls-tree", "-r", "HEAD").map {
            let words = $0.split(whereSeparator: \.isWhitespace)
            return "\(words[0]) \(words[2])"
        }
        let files = try result.state.all(File.self).map { "\($0.mode) \($0.blob)" }
        #expect(files.sorted() == tree.sorted())
    }

    @Test func `names the commit that breaks an invariant, its author and its subject`() throws {
        let subjects = try log("%s")
        let authors = try log("%an")
        let first = try #require(subjects.firstIndex { $0.hasPrefix("Extend") })
        let error = #expect(throws: ReplayFailure.self) {
            try replay.checking("no file is ever changed") { state, _ in
                try state.count(File.self, where: \.revision > 1) == 0
            }.run()
        }
        let failure = try #require(error)
        #expect(failure.problem == "\"no file is ever changed\" does not hold")
        #expect(failure.event.map { Int($0.sequence.rawValue) } == first + 1)
        #expect(failure.event?.metadata.actor == authors[first])
        #expect(failure.event?.metadata.reason == subjects[first])
        for part in ["event \(first + 1) ", "by \(authors[first]), \"\(subjects[first])\"", "File"]
        {
            #expect(failure.description.contains(part), "\(failure)")
        }
    }

    @Test func `fails if the final state has another digest`() throws {
        let error = #expect(throws: ReplayFailure.self) {
            try replay.through(59).expecting(digest: Self.digest).run()
        }
        #expect(error?.event == nil)
        #expect(error?.problem.contains("the last event, 59,") == true)
        #expect(error?.problem.contains("not \(Self.digest)") == true)
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

@Suite(.long) struct `An example` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `in the README is the complete source of a program that runs`() throws {
        let readme = try String(
            contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        let program = try String(
            contentsOf: Repository.root.appending(path: "Examples/Restaurant/main.swift"),
            encoding: .utf8)
        #expect(readme.contains("```swift\n\(program)```"))
        let outcome = try Program("restaurant").run(directory.store.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("Da Nonna\n1 "))
        #expect(outcome.output.contains("[name: \"Nonna\" → \"Da Nonna\"]"))
    }

    @Test func `saves a basket as one event, and drops the edits that are cancelled`() throws {
        let outcome = try Program("basket").run(directory.store.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("in the store: 0 cents\nsaved: 2200 cents"))
        #expect(outcome.output.contains("being edited: 500 cents"))
        #expect(outcome.output.contains("cancelled: 2200 cents"))
        #expect(outcome.output.hasSuffix("event 2 by alice, basket changed: 2 changes\n"))
    }

    @Test func `remembers a shop's lists from one run to the next`() throws {
        let program = try Program("wishlist")
        for _ in 1...2 {
            let outcome = try program.run(directory.store.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("found: [\"Desk lamp\", \"Desk\"]"))
            #expect(outcome.output.contains("wish: Desk lamp for 3900 cents, for the new flat"))
        }
    }

    @Test func `takes the commands of a Kanban board, and keeps the board`() throws {
        let program = try Program("kanban")
        func output(_ commands: String) throws -> String {
            let process = program.process([directory.store.path, "alice"])
            let input = directory.url.appending(path: "commands")
            try Data(commands.utf8).write(to: input)
            process.standardInput = try FileHandle(forReadingFrom: input)
            let outcome = try process.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            // The live list prints whenever it changes.
            return outcome.output.split(separator: "\n").filter { !$0.hasPrefix("(") }
                .joined(separator: "\n")
        }
        let first = try output("add buy some milk\nmove 1 Doing\nrename 1 buy oat milk\nundo\n")
        #expect(first.hasSuffix("Todo\nDoing\n  1 buy some milk\nDone"))
        let second = try output("history 1\n")
        #expect(second.contains("3 alice moved to Doing"))
        #expect(second.contains("5 alice undo"))
    }

    @Test func `opens a library's store in four releases, and refuses a careless one`() throws {
        let program = try Program("library")
        let first = try program.run(directory.store.path)
        #expect(first.status == 0, "\(first.errors)")
        let refusal = "release 2 without steps is refused: stored records of \"User\" do not fit"
        #expect(first.output.contains(refusal))
        #expect(first.output.contains("Evolution<User> = [.version(2) { .re"))
        #expect(first.output.contains("release 2 reads User by the steps 1 → 2\n"))
        #expect(first.output.contains("release 4 reads Book by the steps 1 → 2, 2 → 3, 3 → 4\n"))
        #expect(first.output.contains("  Ada Lovelace, 5550101, loans: [\"Pride and Prejudice\"]"))
        #expect(first.output.contains("after event 1: [\"A Pride and Prejudice\", \"E Middle"))
        let second = try program.run(directory.store.path)
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.hasSuffix("7 grace given back [borrower: 2 → –]\n"))
    }

    @Test func `finds what broke a bank's ledger, and takes it back`() throws {
        let program = try Program("ledger")
        func output(_ arguments: String...) throws -> String {
            let outcome = try program.process([directory.store.path] + arguments).outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        _ = try output("month")
        #expect(try output("accounts").hasPrefix("A1 -25 Ada Lovelace\n"))
        #expect(try output("overdraft") == "142\n")
        let audit = try output("audit")
        #expect(audit.hasPrefix("2 of 142 commands do something else today.\n"))
        #expect(audit.contains("event 60 of") && audit.contains("throws today: overdrawn"))
        #expect(try output("without", "142").contains("cents: -25 → 43407"))
        #expect(try output("take-back", "142", "overdraft") == "undone\n")
        #expect(try output("take-back", "60", "overdraft") == "reversed\n")
        #expect(try output("overdraft") == "none\n")
        #expect(try output("statement", "A1").hasPrefix("50000 deposit\n"))
        let refused = try program.process([directory.store.path, "open", "A1", "Eve"]).outcome()
        #expect(refused.status == 1 && refused.output.contains("A1"))
    }

    @Test func `imports a git history through crashes, and agrees with git`() throws {
        let repository = try Shell.bundledRepository(in: directory)
        let program = try Program("git-history")
        let crashed = try program.run(
            repository.path, directory.store.path, "--crash", "3", "--check", "60")
        #expect(crashed.status == 0, "\(crashed.errors)")
        #expect(crashed.output.contains("checked 60 commits and the checkpoint"))
        #expect(crashed.output.contains("checked 6 differences and 2 origins"))
        let again = try program.run(repository.path, directory.store.path)
        #expect(again.output.hasPrefix("imported 0 commits"))
        let archive = try Archive(at: directory.store)
        #expect(archive.sequence == 60)
        #expect(try archive.event(1)?.metadata.tags["commit"]?.count == 40)
        let verification = archive.verify()
        #expect(verification.ok, "\(verification.problems)")
    }

    @Test(.enabled(if: Extent.current == .deep, "a history of 12,000 commits is for the deep run"))
    func `imports a long history, and agrees with git at 500 commits`() throws {
        let stream = directory.url.appending(path: "long.fi")
        try LongHistory.stream(commitCount: 12_000, planted: 7_345).write(to: stream)
        let repository = try Shell.repository(of: stream, in: directory)
        let outcome = try Program("git-history").run(
            repository.path, directory.store.path, "--crash", "5", "--check", "500")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("checked 500 commits and the checkpoint"))
        #expect(outcome.output.contains("checked 50 differences and 20 origins"))
        #expect(try Archive(at: directory.store).sequence == 12_000)

        let condition = "SELECT id FROM File WHERE id = '\(LongHistory.plantedPath)'"
        let found = try Program("skyros").run(
            "bisect", directory.store.path, "--violates", condition, "--json")
        let object = try #require(try FieldValue(json: found.output).map, "\(found.errors)")
        #expect(object["event"]?.map?["sequence"] == .integer(7_345))
        let states = try #require(object["states"]?.integer)
        #expect(Double(states) <= log2(12_000) + 1)
    }

    @Test func `reports a store that differs from git`() throws {
        struct File: Entity {
            var id: String
            var mode: String
            var blob: String
            var revision: Int
            var author: String
        }
        let repository = try Shell.bundledRepository(in: directory)
        let program = try Program("git-history")
        _ = try program.run(repository.path, directory.store.path)
        var options = Store.Options()
        options.keepsUnknownEntities = true
        let store = try Store(at: directory.store, entities: [File.self], options: options)
        try store.write { tx in
            let file = try #require(try tx.first(File.self))
            try tx.update(File.self, file.id) { $0.mode = "100600" }
        }
        try store.close()
        let outcome = try program.run(repository.path, directory.store.path, "--check", "1")
        #expect(outcome.status == 1)
    }

    /// What git has not written yet is more than a pipe takes.
    @Test(.enabled(if: !Sanitizer.isEnabled, "a sanitizer writes larger files"))
    func `ends if a commit cannot be written, however much git has to say`() throws {
        let files = (0..<20_000).map { "M 100644 :1 \($0)\n" }.joined()
        let commits = (1...2).map { number in
            "commit refs/heads/main\ncommitter A <a@example.org> \(number) +0000\n"
                + "data 1\n\(number)\ndeleteall\n"
                + files.replacingOccurrences(of: "\n", with: ".\(number)\n")
        }
        let stream = directory.url.appending(path: "large.fi")
        try Data(("blob\nmark :1\ndata 1\na\n" + commits.joined()).utf8).write(to: stream)
        let repository = try Shell.repository(of: stream, in: directory)
        let process = try Program("git-history").process([repository.path, directory.store.path])
        process.limitFiles(toBlocks: 128)
        let outcome = try process.outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("git-history: "), "\(outcome.errors)")
    }

    @Test(arguments: ["missing", "directory", "empty"])
    func `creates no store if the repository has no commit`(kind: String) throws {
        let repository = directory.url.appending(path: kind)
        switch kind {
        case "directory":
            try FileManager.default.createDirectory(
                at: repository, withIntermediateDirectories: false)
        case "empty": _ = try Shell.run(["git", "init", "--quiet", repository.path])
        default: break
        }
        for options in [[], ["--check", "1"], ["--crash", "1"]] {
            let process = try Program("git-history")
                .process([repository.path, directory.store.path] + options)
            // git must not find a repository in a parent of the test's directory.
            process.environment?["GIT_CEILING_DIRECTORIES"] = directory.url.path
            let outcome = try process.outcome()
            #expect(outcome.status == 1)
            #expect(
                outcome.errors.contains("git-history: there is no commit in \(repository.path)"))
            #expect(!FileManager.default.fileExists(atPath: directory.store.path))
        }
    }
}

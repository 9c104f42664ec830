import Foundation
import Skyros
import TestSupport
import Testing

/// What a command leaves that a signal ends.
@Suite(.long) struct `A command that is interrupted` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Note.self]) { store in
            let text = String(repeating: "x", count: 64 << 10)
            for id in 0..<256 { try store.write { try $0.insert(Note(id: id, text: text)) } }
        }
    }

    /// The commands that make something, and the beginning of the name that it has meanwhile.
    private static let commands: [([String], String)] = [
        (["export", "--format", "jsonl", "--into", "NEW"], ".skyros-"),
        (["export", "--format", "sqlite", "--into", "NEW"], ".skyros-"),
        (["report", "--html", "NEW"], ".skyros-"),
        (["rebuild", "--into", "NEW"], ".skyros-"),
        (["salvage", "--into", "NEW"], ".skyros-"),
        (["salvage", "--into", "NEW", "--from-checkpoint"], ".skyros-"),
        (["fixture", "--into", "NEW"], ".skyros-"),
        (
            ["distill", "--violates", "SELECT id FROM Note WHERE id = 255", "--into", "NEW"],
            ".skyros-"
        ),
        (["rebuild"], "checkpoint.tmp"),
    ]

    private func process(_ words: [String]) -> Process {
        store.process(words[0], words.dropFirst().map { $0 == "NEW" ? store.path("new") : $0 })
    }

    /// The names of unfinished files.
    private func unfinished(_ prefix: String) throws -> [String] {
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: store.directory.url.path)
        let inStore = try files.contentsOfDirectory(atPath: store.directory.store.path)
        return (names + inStore).filter { $0.hasPrefix(prefix) }
    }

    /// Starts the command and sends it the signal as soon as it has an unfinished file.
    ///
    /// - Returns: whether the signal ended it.
    private func interrupt(_ words: [String], _ prefix: String, by signal: Int32) throws -> Bool {
        let process = process(words)
        let errors = Pipe()
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
        try process.run()
        while process.isRunning, try unfinished(prefix).isEmpty {}
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal else {
            #expect(process.terminationStatus == 0)
            return false
        }
        #expect(process.terminationStatus == signal)
        #expect(try errors.fileHandleForReading.readToEnd()?.isEmpty ?? true)
        return true
    }

    private func removeNew() throws {
        try? FileManager.default.removeItem(atPath: store.path("new"))
    }

    @Test(arguments: commands, [SIGINT, SIGTERM])
    func `leaves nothing (F74)`(command: ([String], String), signal: Int32) throws {
        let (words, prefix) = command
        // The process may be faster than the signal.
        for _ in 0..<20 {
            try removeNew()
            guard try interrupt(words, prefix, by: signal) else { continue }
            #expect(try unfinished(prefix).isEmpty)
            // The signal may also come after the file has got its name. One that always has it
            // then was never unfinished.
            if FileManager.default.fileExists(atPath: store.path("new")) { continue }
            #expect(try process(words).outcome().status == 0)
            #expect(try Program("skyros").run("verify", store.directory.store.path).status == 0)
            return
        }
        Issue.record("no signal came in time")
    }

    @Test(arguments: commands)
    func `by SIGKILL leaves what the next command removes (F74)`(
        command: ([String], String)
    ) throws {
        let (words, prefix) = command
        for _ in 0..<20 {
            try removeNew()
            guard try interrupt(words, prefix, by: SIGKILL) else { continue }
            if FileManager.default.fileExists(atPath: store.path("new")) { continue }
            #expect(try !unfinished(prefix).isEmpty)
            #expect(try process(words).outcome().status == 0)
            #expect(try unfinished(prefix).isEmpty)
            return
        }
        Issue.record("no signal came in time")
    }

    @Test func `by SIGKILL leaves what the next opening removes (F74)`() throws {
        for name in ["checkpoint.tmp", "checkpoint.tmp-journal"] {
            try Data([1]).write(to: store.directory.store.appending(path: name))
        }
        try Store(at: store.directory.store, entities: Note.self).close()
        #expect(try unfinished("checkpoint.tmp").isEmpty)
    }

    @Test func `does not touch what another process makes (F74)`() throws {
        let names = [
            ".skyros-\(getpid())-1.tmp", ".skyros-1-1.tmp", ".skyros-x-1.tmp", ".skyros-7.tmp",
        ]
        for name in names { try Data([1]).write(to: URL(filePath: store.path(name))) }
        let outcome = try process(["export", "--format", "jsonl", "--into", "NEW"]).outcome()
        #expect(outcome.status == 0)
        #expect(try Set(unfinished(".skyros-")) == Set(names))
    }

    /// The option with which an interrupted process begins anew.
    @Test func `removes nothing else (F74)`() throws {
        for name in ["mine", "mine-journal", ".skyros-1-1.tmp"] {
            try Data([1]).write(to: URL(filePath: store.path(name)))
        }
        let end = try Program("skyros").process([
            "--end-interrupted", "\(SIGTERM)", "2", store.path("mine"),
            store.path(".skyros-1-1.tmp"), store.path("other"), store.directory.url.path,
        ])
        try Data([1]).write(to: URL(filePath: store.path("other-journal")))
        try end.run()
        end.waitUntilExit()
        #expect(end.terminationReason == .uncaughtSignal && end.terminationStatus == SIGTERM)
        for name in ["mine", "mine-journal", ".skyros-1-1.tmp", "other-journal"] {
            #expect(FileManager.default.fileExists(atPath: store.path(name)), "\(name)")
        }
    }

    @Test func `makes files for this user only`() throws {
        let files = FileManager.default
        for words in Self.commands.map(\.0) {
            try removeNew()
            let process = process(words)
            let tool = try #require(process.executableURL).path
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments =
                ["-c", "umask 0; exec \"$0\" \"$@\"", tool] + (process.arguments ?? [])
            #expect(try process.outcome().status == 0)
            let isNew = words.contains("NEW")
            let path = isNew ? store.path("new") : store.directory.store.path
            for file in [path] + (files.subpaths(atPath: path) ?? []).map({ "\(path)/\($0)" }) {
                let mode = try files.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(try #require(mode) & 0o077 == 0, "\(file)")
            }
        }
    }
}

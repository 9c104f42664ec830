import Foundation
import TestSupport
import Testing

/// Whether a Swift compiler is installed that can read the modules of this build.
private let hasCompiler: Bool = {
    guard Compiler.moduleDirectory != nil else { return false }
    return (try? Shell.run(["swiftc", "--version"])) != nil
}()

/// Compiles snippets of an app's code.
private enum Compiler {
    /// The directory of this build's modules; nil if there is none.
    static let moduleDirectory: URL? = (try? Program("CrashWriter")).flatMap { program in
        let directory = program.url.deletingLastPathComponent().appending(path: "Modules")
        let module = directory.appending(path: "Skyros.swiftmodule")
        return FileManager.default.fileExists(atPath: module.path) ? directory : nil
    }

    /// The first error of a write block with these lines; nil if it compiles.
    static func error(
        ofBlock lines: String, before: String = "", _ call: String = "store.write"
    ) throws -> String? {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "snippet.swift")
        let text = """
            import Skyros
            struct Note: Entity { var id: Int }
            final class Box { var body: (() throws -> Void)? }
            func snippet(_ store: Store, _ box: Box) throws {
            \(before)
            try \(call) { tx in
            \(lines)
            }
            }
            """
        try Data(text.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let sources = Repository.root.appending(path: "Sources")
        // The checks of ownership run only where code is generated.
        process.arguments =
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", file.path]
            + (["CLinux", "CZstd", "CSQLite"].map { "\(sources.path)/\($0)" }
            + [moduleDirectory?.path ?? ""]).flatMap { ["-I", $0] }
        let outcome = try process.outcome()
        if outcome.status == 0 { return nil }
        let first = outcome.errors.split(separator: "\n").first { $0.contains(": error: ") }
        return first.map(String.init) ?? outcome.errors
    }
}

@Suite(.long, .enabled(if: hasCompiler)) struct `A transaction outside of its block` {
    struct Escape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: String
        var before = ""
        /// A part of the compiler's message.
        let message: String
    }

    static let escapes = [
        Escape(
            testDescription: "a copy",
            lines: "let other = tx\ntry tx.insert(Note(id: 1))\n_ = other", message: "'tx'"),
        // The compiler has no good words for it.
        Escape(testDescription: "the result", lines: "return tx", message: ":6:"),
        Escape(
            testDescription: "an escaping closure",
            lines: "box.body = { try tx.insert(Note(id: 1)) }", message: "escaping closure"),
        Escape(
            testDescription: "a task", lines: "Task { try tx.insert(Note(id: 1)) }",
            message: "'tx'"),
        Escape(
            testDescription: "an array", lines: "all.append(tx)",
            before: "var all: [WriteTransaction] = []", message: "Copyable"),
        Escape(
            testDescription: "a variable", lines: "kept = consume tx",
            before: "var kept: WriteTransaction?", message: "'tx'"),
        Escape(
            testDescription: "one that was made", lines: "tx = WriteTransaction()",
            message: "inaccessible"),
    ]

    @Test(arguments: escapes) func `does not compile (F69)`(_ escape: Escape) throws {
        let error = try #require(
            try Compiler.error(ofBlock: escape.lines, before: escape.before))
        #expect(error.contains(escape.message), "\(error)")
    }

    @Test func `does not compile in a queued block either (F69)`() throws {
        let error = try Compiler.error(
            ofBlock: "box.body = { try tx.insert(Note(id: 1)) }", "store.writeSync")
        #expect(error?.contains("escaping closure") == true)
    }

    /// The snippets above fail for the reason that their test names.
    @Test func `is no problem within it`() throws {
        #expect(try Compiler.error(ofBlock: "try tx.insert(Note(id: 1))") == nil)
        let nested = "try [1, 2].forEach { try tx.insert(Note(id: $0)) }"
        #expect(try Compiler.error(ofBlock: nested) == nil)
    }
}

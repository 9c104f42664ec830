import Foundation
import TestSupport
import Testing

/// Compiles programs that use the library in a wrong way.
@Suite(.long) struct `The compiler` {
    @Test(arguments: [
        ("a copy", "var copy = tx; try copy.delete(item)", "missing reinitialization of inout"),
        ("a value to keep", "kept = consume tx", "missing reinitialization of inout"),
        ("a closure", "later = { try tx.insert(item) }", "escaping closure captures 'inout'"),
        ("a task", "Task { try tx.insert(item) }; return", "escaping closure captures 'inout'"),
    ])
    func `S-138: lets no transaction escape from its block`(
        way: String, statement: String, message: String
    ) throws {
        let errors = try Self.errors(of: Self.program("try store.write { tx in \(statement) }"))
        #expect(errors.contains(message), "\(way): \(errors)")
    }

    @Test func `S-139: knows no transaction outside of its block`() throws {
        let use = "try store.write { tx in try tx.insert(item) }"
        #expect(try Self.errors(of: Self.program(use)) == "")
        let errors = try Self.errors(of: Self.program("\(use)\n    try tx.insert(item)"))
        #expect(errors.contains("cannot find 'tx' in scope"))
        let returned = "let tx: WriteTransaction = try store.write { tx -> WriteTransaction in tx }"
        let more = try Self.errors(of: Self.program("\(returned)\n    _ = consume tx"))
        #expect(more.contains("'WriteTransaction' conform to 'Copyable'"))
    }

    private static func program(_ statements: String) -> String {
        """
        import Skyros
        struct Item: Entity { var id: Int }
        func use(_ store: Store, _ item: Item) throws {
            var kept: WriteTransaction?
            var later: (() throws -> Void)?
            \(statements)
            _ = consume kept
            try later?()
        }
        """
    }

    /// What the compiler says about a program; nothing if it is right.
    private static func errors(of program: String) throws -> String {
        let directory = try TemporaryDirectory()
        try directory.write(Array(program.utf8), to: "program.swift")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        let sources = Repository.root.appending(path: "Sources").path
        compiler.arguments =
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-suppress-warnings"]
            + ["-I", try modules()]
            + ["CLinux", "CZstd", "CSQLite"].flatMap { ["-I", "\(sources)/\($0)"] }
            + [directory.path("program.swift")]
        let output = Pipe()
        compiler.standardError = output
        try compiler.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        compiler.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    /// The directory of the modules that the tests were built with.
    private static func modules() throws -> String {
        let program = URL(filePath: CommandLine.arguments[0])
        let candidates = [
            program, Bundle.main.bundleURL, Bundle.main.bundleURL.appending(path: "a"),
        ]
        .map { $0.deletingLastPathComponent().appending(path: "Modules").path }
        let found = candidates.first { FileManager.default.fileExists(atPath: $0) }
        return try #require(found, "no modules in \(candidates)")
    }
}

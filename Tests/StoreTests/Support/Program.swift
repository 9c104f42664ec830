import Foundation
import TestSupport

/// An executable of this package, which runs as a child process.
struct Program {
    let url: URL

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The exit status and the output of a finished process.
    struct Outcome {
        /// The exit code, or the signal that ended the process.
        let status: Int32
        let wasSignaled: Bool
        let output: String
        let errors: String
    }

    /// Finds an executable in the build directory of the tests.
    init(_ name: String) throws {
        let places = [
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
        ]
        let candidates = places.map { $0.appending(path: name) }
        guard
            let found = candidates.first(where: {
                FileManager.default.isExecutableFile(atPath: $0.path)
            })
        else { throw Missing(description: "the program \(name) was not built: \(candidates)") }
        url = found
    }

    func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        return process
    }

    /// Runs the program and waits for its exit.
    func run(_ arguments: String...) throws -> Outcome {
        try run(arguments)
    }

    /// Runs the program and waits for its exit.
    func run(_ arguments: [String]) throws -> Outcome {
        try process(arguments).outcome()
    }
}

extension Process {
    /// Lets no file that the process writes grow beyond some blocks of 512 bytes, which acts like a
    /// full disk.
    func limitFiles(toBlocks count: Int) {
        arguments =
            ["-c", "trap '' XFSZ; ulimit -f \(count); exec \"$0\" \"$@\""]
            + [executableURL?.path ?? ""] + (arguments ?? [])
        executableURL = URL(filePath: "/bin/sh")
    }

    /// Runs the process and waits for its exit.
    func outcome() throws -> Program.Outcome {
        let output = Pipe()
        // A file: a child that fills a second pipe would block until the first is read.
        let directory = try TemporaryDirectory()
        let errors = directory.url.appending(path: "errors")
        try Data().write(to: errors)
        standardOutput = output
        standardError = try FileHandle(forWritingTo: errors)
        try run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        waitUntilExit()
        let complaints = try Data(contentsOf: errors)
        return Program.Outcome(
            status: terminationStatus, wasSignaled: terminationReason == .uncaughtSignal,
            output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: complaints, as: UTF8.self))
    }
}

import Foundation

/// Runs git and reads its output.
struct Git {
    let repository: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: `Failure` if there is no repository, or it has no commit.
    func requireCommit() throws {
        do {
            _ = try output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        } catch let error as Failure {
            throw Failure(description: "there is no commit in \(repository): \(error)")
        }
    }

    /// Runs a command and returns its output.
    func output(_ arguments: String...) throws -> Data {
        var data = Data()
        try run(arguments) { data.append($0) }
        return data
    }

    /// Runs a command and returns the first line of its output.
    func line(_ arguments: String...) throws -> String {
        var data = Data()
        try run(arguments) { data.append($0) }
        return String(decoding: data.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Runs a command and calls `body` for each chunk of its output.
    func run(_ arguments: [String], _ body: (Data) throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", repository] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // Without a reader it would wait for one for ever. Another signal may be blocked there.
        do {
            while let data = try pipe.fileHandleForReading.read(upToCount: 1 << 20), !data.isEmpty {
                try body(data)
            }
        } catch {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            throw error
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "git \(arguments.joined(separator: " ")) failed")
        }
    }
}

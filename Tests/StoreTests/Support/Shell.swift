import Foundation
import TestSupport

/// Runs external tools, which scripts/setup installs.
enum Shell {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a tool, waits for its exit and returns its output.
    static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "\(arguments) failed with \(process.terminationStatus); "
                    + "scripts/setup installs what is missing")
        }
        return data
    }

    /// The lines of a tool's output.
    static func lines(_ arguments: String...) throws -> [String] {
        String(decoding: try run(arguments), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A git repository with the small history that is bundled with the example.
    static func bundledRepository(in directory: TemporaryDirectory) throws -> URL {
        try repository(
            of: Repository.root.appending(path: "Examples/GitHistory/history.fi"), in: directory)
    }

    /// A git repository with the history in a file that `git fast-export` wrote.
    static func repository(of stream: URL, in directory: TemporaryDirectory) throws -> URL {
        let url = directory.url.appending(path: "repository")
        _ = try run(["git", "init", "--quiet", "--bare", url.path])
        _ = try run([
            "sh", "-c", "git -C \"$1\" fast-import --quiet <\"$2\"", "sh", url.path, stream.path,
        ])
        _ = try run(["git", "-C", url.path, "symbolic-ref", "HEAD", "refs/heads/main"])
        return url
    }
}

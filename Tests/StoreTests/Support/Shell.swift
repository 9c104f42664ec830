import Foundation
import TestSupport

/// Tools that are not of this package: scripts/setup installs them.
enum Shell {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a tool to its end and returns its output.
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

    /// The small history that is bundled with the example, as a repository.
    static func bundledRepository(in directory: TemporaryDirectory) throws -> URL {
        try repository(
            of: Repository.root.appending(path: "Examples/GitHistory/history.fi"), in: directory)
    }

    /// A repository with the history that a file holds, as `git fast-export` writes it.
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

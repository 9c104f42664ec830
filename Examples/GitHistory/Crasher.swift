import Foundation
import Skyros

/// Kills an importing process again and again, and looks whether anything was lost.
struct Crasher {
    let git: Git
    let storeURL: URL

    struct Loss: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the import in a process of its own and kills it with SIGKILL, `count` times.
    ///
    /// The child writes a commit for each byte on its input, and says on its output how many
    /// commits it has written; a buffered write must survive the death of its process, so the
    /// store must hold at least as many afterwards.
    func run(_ count: Int, seed: UInt64, report: (String) -> Void) throws {
        try git.requireCommit()
        var random = SplitMix64(seed: seed)
        for crash in 1...count {
            let done = try committed()
            let total = Int(try git.line("rev-list", "--count", "--first-parent", "HEAD")) ?? 0
            let share = max(1, (total - done) / (count - crash + 2))
            let target = done + Int.random(in: 0...share, using: &random)
            let ahead = min(Self.aheadMax, 3 + share / 4)
            let delay = Int.random(in: 0...ahead * Self.microsecondsPerCommit, using: &random)
            let acknowledged = try killAfter(
                target, from: done, ahead: ahead, delay: UInt32(delay))
            let kept = try committed()
            guard kept >= acknowledged else {
                throw Loss(
                    description: "\(acknowledged) commits were acknowledged before crash "
                        + "\(crash), only \(kept) are there")
            }
            report("crash \(crash): killed after commit \(acknowledged), \(kept) are in the store")
        }
    }

    /// How many more commits than waited for the child may write, so that the kill hits it in the
    /// middle of one and not while it waits.
    private static let aheadMax = 100
    /// About what a commit takes.
    private static let microsecondsPerCommit = 80

    /// How many commits the store holds, as a reader beside it sees it.
    private func committed() throws -> Int {
        do {
            return Int(try Archive(at: storeURL).sequence.rawValue)
        } catch let error as StoreError where error.code == .notAStore {
            return 0
        }
    }

    private func killAfter(
        _ target: Int, from done: Int, ahead: Int, delay microseconds: UInt32
    ) throws -> Int {
        let child = Process()
        child.executableURL = URL(filePath: CommandLine.arguments[0])
        child.arguments = [git.repository, storeURL.path, "--acknowledge"]
        let pipe = Pipe()
        let permissions = Pipe()
        child.standardOutput = pipe
        child.standardInput = permissions
        child.standardError = FileHandle.nullDevice
        try child.run()
        // On a thread of its own, as a pipe holds only so much.
        let bytes = Data(count: target - done + ahead)
        DispatchQueue.global().async {
            try? permissions.fileHandleForWriting.write(contentsOf: bytes)
        }
        var acknowledged = 0
        var rest = Data()
        while acknowledged < target {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            rest.append(data)
            let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for line in lines.dropLast() {
                acknowledged = Int(String(decoding: line, as: UTF8.self)) ?? acknowledged
            }
            rest = Data(lines.last ?? Data())
        }
        usleep(microseconds)
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        return acknowledged
    }
}

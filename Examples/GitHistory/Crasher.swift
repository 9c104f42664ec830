import Foundation
import Skyros

/// Kills an import process several times, and checks each time that the store lost nothing.
struct Crasher {
    let git: Git
    let storeURL: URL

    struct Loss: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the import in a child process and kills it with SIGKILL, `count` times.
    ///
    /// The child imports one commit per byte on its standard input, and prints the number of
    /// imported commits. A buffered write survives a kill of its process, so the store must hold at
    /// least that number of commits afterwards.
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
                        + "\(crash), but the store holds only \(kept)")
            }
            report(
                "crash \(crash): killed after commit \(acknowledged), the store holds \(kept)")
        }
    }

    /// The child may import up to this number of commits more than awaited, so that the kill hits a
    /// write and not a wait for input.
    private static let aheadMax = 100
    /// The approximate time of one commit.
    private static let microsecondsPerCommit = 80

    /// The number of commits in the store, read without opening it for writing.
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
        let input = Pipe()
        child.standardOutput = pipe
        child.standardInput = input
        child.standardError = FileHandle.nullDevice
        try child.run()
        // On another thread, since writing blocks when the pipe is full.
        let bytes = Data(count: target - done + ahead)
        DispatchQueue.global().async {
            try? input.fileHandleForWriting.write(contentsOf: bytes)
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

import Foundation
import TestSupport
import Testing

/// The kill loop: it kills a writer at a random moment, verifies the store against the file of
/// acknowledgements in another process, and starts the next writer on the same store.
@Suite(.long) struct `A store whose process is killed` {
    private static let killCount = Extent.pick(brief: 20, quick: 334, deep: 3_334)

    private struct Loss: Error {
        let description: String
    }

    @Test(arguments: ["deferred", "buffered", "durable"])
    func `keeps its promises (F1)`(level: String) throws {
        try Self.sweep(level)
        reportSweep("kills, \(level)", "\(Self.killCount) kills")
    }

    private static func sweep(_ level: String) throws {
        let writer = try Program("CrashWriter")
        var random = RandomSource(seed: 2_026)
        var directory = try TemporaryDirectory()
        var last = 0
        for kill in 0..<killCount {
            // Several kills hit one store, so that damage adds up; then a new store is used.
            if kill % 14 == 13 {
                directory = try TemporaryDirectory()
                last = 0
            }
            let file = directory.url.appending(path: "acknowledged")
            // Some writers are killed while they still open the store.
            let target = kill % 7 == 0 ? 0 : Int.random(in: 1...300, using: &random)
            let delay = Int.random(in: 0...4_000, using: &random)
            try writeAndKill(writer, directory.store, file, level, after: target, delay)
            let outcome = try writer.run("verify", directory.store.path, file.path, level)
            let text = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let place = "kill \(kill), after \(target) acknowledgements"
            guard outcome.status == 0, let now = Int(text) else {
                throw Loss(description: "\(place): \(outcome.errors)")
            }
            guard level == "deferred" || now >= last else {
                throw Loss(description: "\(place): it held \(last) events, now \(now)")
            }
            last = now
        }
    }

    private static func writeAndKill(
        _ writer: Program, _ store: URL, _ file: URL, _ level: String, after target: Int,
        _ delay: Int
    ) throws {
        let process = writer.process(["write", store.path, file.path, level])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var count = 0
        while count < target {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            count += data.count { $0 == UInt8(ascii: "\n") }
        }
        // Randomises the moment of the kill within a write.
        Delay.spin(callCount: delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

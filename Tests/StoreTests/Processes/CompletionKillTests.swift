import Foundation
import TestSupport
import Testing

/// The process ends by a signal right after the library said that a write is done.
@Suite(.long) struct `A write that was done when its process was killed` {
    @Test(arguments: ["buffered", "durable"])
    func `S-017: is there if it had returned`(level: String) throws {
        let home = try WriterStore()
        let process = home.writer.process(home.arguments("write", level))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let first = output.fileHandleForReading.availableData
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(first.starts(with: Data("1\n".utf8)))
        try expectAllAcknowledged(in: home, level, atLeast: 1)
    }

    @Test(arguments: ["buffered", "durable"])
    func `S-049: is there if its completion was called`(level: String) throws {
        let home = try WriterStore()
        let outcome = try home.writer.run(home.arguments("complete", level, "--events", "7"))
        #expect(outcome.wasSignaled && outcome.status == SIGKILL, "\(outcome.errors)")
        #expect(outcome.output == (1...7).map { "\($0)\n" }.joined())
        try expectAllAcknowledged(in: home, level, atLeast: 7)
    }

    private func expectAllAcknowledged(
        in home: WriterStore, _ level: String, atLeast count: Int
    ) throws {
        let outcome = try home.writer.run(home.arguments("verify", level))
        let last = Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(last ?? 0 >= count)
    }
}

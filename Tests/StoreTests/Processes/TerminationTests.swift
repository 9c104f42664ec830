import Foundation
import Skyros
import TestSupport
import Testing

/// A process that writes deferred events, which no background sync reaches before the signal.
@Suite struct `A process that a signal ends` {
    private static let eventCount: UInt64 = 5

    /// Returns the last event that the store holds after the signal.
    private func lastEvent(after signal: Int32) throws -> SequenceNumber {
        let home = try WriterStore()
        let process = home.writer.process(
            home.arguments("terminate", "deferred", "--events", "\(Self.eventCount)"))
        let (output, input) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let said = output.fileHandleForReading.availableData
        #expect(String(decoding: said, as: UTF8.self) == "written\n")
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        return try Archive(at: home.directory.store).sequence
    }

    @Test func `S-018: has flushed its store, and ends by that signal`() throws {
        #expect(try lastEvent(after: SIGTERM).rawValue == Self.eventCount)
    }

    /// Otherwise the test above would show nothing.
    @Test func `has flushed nothing if the signal cannot be heard`() throws {
        #expect(try lastEvent(after: SIGKILL) == 0)
    }
}

import Foundation
import TestSupport
import Testing

/// Several processes on one store: stopped, interrupted by signals, racing, forked, trapping.
@Suite(.long) struct `A store used by several processes` {
    private struct Loss: Error {
        let description: String
    }

    private static func verify(
        _ home: WriterStore, _ place: String, threadCount: Int = 1
    ) throws -> Int {
        let outcome = try home.writer.run(
            home.arguments("verify", "buffered", "--threads", "\(threadCount)"))
        let text = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard outcome.status == 0, let last = Int(text) else {
            throw Loss(description: "\(place): \(outcome.status), \(outcome.errors)")
        }
        return last
    }

    // MARK: SIGSTOP

    @Test(arguments: ["buffered", "durable"])
    func `can be written by another while it is suspended and stopped (F3)`(level: String) throws {
        let home = try WriterStore()
        let process = home.writer.process(home.arguments("suspend", level, "--events", "150"))
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        var text = ""
        while !text.contains("suspended") {
            let some = output.fileHandleForReading.availableData
            if some.isEmpty { throw Loss(description: "the first process ended: \(text)") }
            text += String(decoding: some, as: UTF8.self)
        }
        kill(process.processIdentifier, SIGSTOP)
        let other = try home.writer.run(home.arguments("run", level, "--events", "200"))
        #expect(other.status == 0, "\(other)")
        #expect(try Self.verify(home, "while the first process is stopped") == 350)
        kill(process.processIdentifier, SIGCONT)
        try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
        // A pipe that is full would stop the process.
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try Self.verify(home, "after the first process has resumed") == 500)
        #expect(try home.acknowledged() == Array(1...500))
    }

    @Test func `stays locked by a stopped writer, which continues after SIGCONT (F3)`() throws {
        let home = try WriterStore()
        for round in 0..<Extent.pick(brief: 2, quick: 20) {
            try Self.stopAndContinue(home, "round \(round)")
        }
    }

    private static func stopAndContinue(_ home: WriterStore, _ place: String) throws {
        let process = home.writer.process(home.arguments("write", "buffered"))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let before = try home.acknowledged().max() ?? 0
        try waitForEvent(before + 1, on: output)
        kill(process.processIdentifier, SIGSTOP)
        let other = try home.writer.run(home.arguments("verify", "buffered"))
        guard other.status == 1, other.errors.contains("process \(process.processIdentifier)")
        else { throw Loss(description: "\(place): a second opener, \(other)") }
        let stopped = try home.acknowledged().max() ?? 0
        kill(process.processIdentifier, SIGCONT)
        try waitForEvent(stopped + 1, on: output)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let last = try verify(home, place)
        if last <= stopped {
            throw Loss(description: "\(place): event \(stopped) was acknowledged, \(last) is last")
        }
    }

    /// Reads acknowledged numbers until one is at least `number`.
    private static func waitForEvent(_ number: Int, on output: Pipe) throws {
        var text = ""
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw Loss(description: "the writer has exited") }
            text += String(decoding: data, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.dropLast().contains(where: { Int($0) ?? 0 >= number }) { return }
            text = String(lines.last ?? "")
        }
    }

    @Test func `keeps every event while signals interrupt the writer (F19)`() throws {
        let count = Extent.pick(brief: 200, quick: 1_000, deep: 20_000)
        let home = try WriterStore()
        let process = home.writer.process(
            home.arguments("run", "durable", "--events", "\(count)", "--threads", "2"))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The writer installs its signal handler before its first event.
        try Self.waitForEvent(1, on: output)
        Thread.detachNewThread { _ = try? output.fileHandleForReading.readToEnd() }
        while process.isRunning { kill(process.processIdentifier, SIGUSR1) }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Loss(description: "\(process.terminationStatus)")
        }
        let last = try Self.verify(home, "after signals", threadCount: 2)
        if last != count { throw Loss(description: "\(last) of \(count) events survived") }
    }

    // MARK: Races

    @Test func `has one writer if many processes open it at the same time (F42)`() throws {
        let count = Extent.pick(brief: 2, quick: 20, deep: 1_000)
        var refused = 0
        var home = try WriterStore()
        for round in 0..<count {
            if round % 20 == 19 { home = try WriterStore() }
            refused += try Self.race(home, isKilled: round % 2 == 1, "race \(round)")
        }
        #expect(refused > 0 || count < 10)
        reportSweep("races for a store", "\(count) of 8 processes, \(refused) refused")
    }

    /// Starts eight writers on one store.
    ///
    /// - Returns: the number of writers that `alreadyOpen` refused.
    private static func race(
        _ home: WriterStore, isKilled: Bool, _ place: String
    ) throws -> Int {
        let arguments = home.arguments("run", "buffered", "--events", "3")
        let racers = (0..<8).map { _ in home.writer.process(arguments) }
        let complaints = racers.map { _ in Pipe() }
        for (racer, complaint) in zip(racers, complaints) {
            racer.standardError = complaint
            racer.standardOutput = FileHandle.nullDevice
            try racer.run()
        }
        if isKilled { kill(racers[0].processIdentifier, SIGKILL) }
        var refused = 0
        for (racer, complaint) in zip(racers, complaints) {
            let data = try complaint.fileHandleForReading.readToEnd() ?? Data()
            let text = String(decoding: data, as: UTF8.self)
            racer.waitUntilExit()
            let isDead = racer.terminationReason == .uncaughtSignal
            guard !isDead || (isKilled && racer === racers[0]) else {
                throw Loss(description: "\(place): a trap, \(text)")
            }
            if isDead || racer.terminationStatus == 0 { continue }
            guard racer.terminationStatus == 1, text.contains("alreadyOpen") else {
                throw Loss(description: "\(place): \(racer.terminationStatus), \(text)")
            }
            refused += 1
        }
        _ = try verify(home, place)
        return refused
    }

    // MARK: Forks

    @Test func `refuses to work in a forked child of its writer (F44)`() throws {
        let home = try WriterStore()
        let count = Extent.pick(brief: 2, quick: 20)
        let outcome = try home.writer.run(
            home.arguments("fork", "buffered", "--events", "\(count)"))
        guard outcome.status == 0 else { throw Loss(description: outcome.errors) }
        let last = try Self.verify(home, "after \(count) forks")
        if last != count { throw Loss(description: "\(last) of \(count) events survived") }
    }

    // MARK: Traps

    @Test func `keeps nothing of a write block that trapped (F46)`() throws {
        let count = Extent.pick(brief: 2, quick: 10, deep: 100)
        var random = RandomSource(seed: 46)
        var home = try WriterStore()
        var last = 0
        for round in 0..<count {
            if round % 10 == 9 { (home, last) = (try WriterStore(), 0) }
            let trap = last + Int.random(in: 1...30, using: &random)
            let level = ["deferred", "buffered", "durable"][round % 3]
            let outcome = try home.writer.run(
                home.arguments("run", level, "--events", "40", "--trap", "\(trap)"))
            guard outcome.wasSignaled, outcome.status == SIGABRT else {
                throw Loss(description: "\(trap): \(outcome.status), \(outcome.errors)")
            }
            let found = try home.writer.run(home.arguments("verify", level))
            let text = found.output.trimmingCharacters(in: .whitespacesAndNewlines)
            guard found.status == 0, let now = Int(text) else {
                throw Loss(description: "\(trap): \(found.errors)")
            }
            guard level == "deferred" ? now < trap : now == trap - 1 else {
                throw Loss(description: "event \(trap) trapped, but the store holds \(now) events")
            }
            // The next run writes lost events again, which `deferred` may lose after acknowledging.
            try Data("\(now)\n".utf8).write(to: URL(filePath: home.acknowledgements))
            last = now
        }
    }
}

@Suite(.long, .enabled(if: !Sanitizer.isEnabled, "a sanitizer needs a larger address space"))
struct `A process that gets no thread` {
    /// Each stack would need more memory than the process may have.
    @Test func `cannot open a store, and says why (F76)`() throws {
        let home = try WriterStore()
        let arguments = home.arguments("run", "buffered")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "ulimit -s 33554432 && ulimit -v 16777216 && exec \"$@\"", "sh"]
            + [home.writer.url.path] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let outcome = try process.outcome()
        #expect(!outcome.wasSignaled)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.errors.contains("no further thread"), "\(outcome.errors)")
        // With threads it works.
        #expect(try home.writer.run(arguments).status == 0)
    }
}

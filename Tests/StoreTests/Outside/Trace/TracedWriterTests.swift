import Foundation
import TestSupport
import Testing

/// Audits of the system calls of a real writer.
@Suite(.long, .enabled(if: Strace.isAvailable, Strace.requirement))
struct `A durable writer under strace` {
    private let home: WriterStore

    init() throws {
        home = try WriterStore()
    }

    private func violations(
        _ outcome: Strace.Outcome, existing: [String] = [], endedCleanly: Bool = true
    ) -> [TraceAudit.Violation] {
        TraceAudit.violations(
            in: outcome.calls, store: home.store, acknowledgements: home.acknowledgements,
            existing: Set(existing), endedCleanly: endedCleanly)
    }

    @Test(arguments: [(1, 120), (4, 200)])
    func `acknowledges only durable events (F4, F8)`(threadCount: Int, eventCount: Int) throws {
        let options = ["--events", "\(eventCount)", "--threads", "\(threadCount)"]
        let outcome = try home.strace.run(home.arguments("run", "durable") + options)
        try #require(outcome.program.status == 0, "\(outcome.program.errors)")
        #expect(violations(outcome) == [])
        #expect(try home.acknowledged().sorted() == Array(1...eventCount))
        // The run made segments, sealed one, removed one and wrote a checkpoint.
        let names = outcome.calls.compactMap(\.target)
        #expect(names.contains { $0.hasSuffix(".open") } && names.contains { $0.hasSuffix(".zst") })
        #expect(outcome.calls.contains { $0.descriptorPath(0)?.hasSuffix("-journal") == true })
        #expect(outcome.calls.contains { $0.name == "unlinkat" && $0.succeeded })
        // Group commit: concurrent waiters share a sync.
        let syncCount = outcome.calls.count { $0.name == "fdatasync" }
        #expect(syncCount > eventCount / threadCount)
    }

    /// When the kernel's journal fails, the sync of a file that has grown may still report success;
    /// the next sync does not.
    @Test func `syncs a second time after its file has grown (F13)`() throws {
        // An interval of an hour: no background sync comes between.
        let options = ["--events", "60", "--interval", "3600000"]
        let outcome = try home.strace.run(home.arguments("run", "durable") + options)
        try #require(outcome.program.status == 0, "\(outcome.program.errors)")
        let calls = outcome.calls.filter { call in
            ["pwrite64", "fdatasync"].contains(call.name)
                && call.descriptorPath(0)?.hasSuffix(".open") == true
        }
        var growthCount = 0
        // Whether zeros were written since the last sync.
        var hasGrown = false
        for (call, (second, third)) in zip(calls, zip(calls.dropFirst(), calls.dropFirst(2)))
        where call.name == "pwrite64" {
            if call.bytes(1)?.allSatisfy({ $0 == 0 }) == true { hasGrown = true }
            guard second.name == "fdatasync" else { continue }
            #expect((third.name == "fdatasync") == hasGrown)
            growthCount += hasGrown ? 1 : 0
            hasGrown = false
        }
        #expect(growthCount > 1 && growthCount < 60)
    }

    /// A sync that another thread's failed sync made void may report success; the next does not.
    @Test func `confirms each sync of a directory by a second one (F13)`() throws {
        let outcome = try home.strace.run(
            home.arguments("run", "durable"), tracing: ["fsync", "utimensat", "fdatasync"],
            on: ["\(home.store)/events"])
        try #require(outcome.program.status == 0, "\(outcome.program.errors)")
        let names = outcome.calls.map(\.name)
        #expect(names.count > 3 && names.count.isMultiple(of: 3))
        for start in stride(from: 0, to: names.count, by: 3) {
            #expect(names[start...].prefix(3) == ["fsync", "utimensat", "fdatasync"])
        }
    }

    @Test func `acknowledges only durable events after its predecessor was killed (F11)`() throws {
        let killed = try home.strace.run(
            home.arguments("run", "durable", "--events", "60"),
            injecting: "fdatasync:signal=KILL:when=40")
        try #require(killed.wasKilled)
        #expect(violations(killed, endedCleanly: false) == [])
        let count = try home.acknowledged().count
        let existing = try home.paths()
        let outcome = try home.strace.run(home.arguments("run", "durable"))
        try #require(outcome.program.status == 0, "\(outcome.program.errors)")
        #expect(violations(outcome, existing: existing) == [])
        #expect(try home.acknowledged().count == count + 40)
    }

    @Test(arguments: [
        ("fdatasync", 1), ("fdatasync", 2), ("fdatasync", 3), ("fdatasync", 11), ("fsync", 1),
        ("fsync", 2), ("fsync", 3),
    ])
    func `never repeats a failed sync, and acknowledges nothing after it (F13, F15)`(
        call: String, number: Int
    ) throws {
        for threadCount in [1, 3] {
            let home = try WriterStore()
            let options = ["--events", "60", "--threads", "\(threadCount)"]
            let events = "\(home.store)/events"
            // Only the log is audited: the checkpoint is a cache that can be rebuilt.
            try FileManager.default.createDirectory(
                atPath: events, withIntermediateDirectories: true)
            let outcome = try home.strace.run(
                home.arguments("run", "durable") + options,
                injecting: "\(call):error=EIO:when=\(number)")
            try #require(outcome.calls.contains { $0.isInjected })
            let log = outcome.calls.filter { call in
                call.descriptorPath(0).map { path in
                    path == home.acknowledgements || path.hasPrefix(events)
                } ?? false
            }
            let violations = TraceAudit.violations(
                in: log, store: home.store, acknowledgements: home.acknowledgements,
                existing: [home.store, events], endedCleanly: false)
            #expect(violations == [])
            let isHit = log.contains { $0.isInjected }
            let statuses: [Int32] = isHit ? [1] : [0, 1]
            #expect(!outcome.wasKilled && statuses.contains(outcome.program.status))
        }
    }
}

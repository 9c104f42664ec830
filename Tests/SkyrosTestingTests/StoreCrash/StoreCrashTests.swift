import Foundation
import Testing

/// Whole stores on disks that fail and crash, beside an oracle that knows what was acknowledged.
@Suite struct `A store that crashes again and again` {
    private static let isDeep = ProcessInfo.processInfo.environment["SKYROS_DEEP"] != nil

    @Test func `holds a prefix of what was written, with all that was acknowledged`() throws {
        for seed in 1...(Self.isDeep ? 20_000 : 300) {
            var run = try CrashRun(seed: UInt64(seed))
            do {
                try run.run()
            } catch {
                let story = run.story.joined(separator: "\n")
                Issue.record("seed \(seed): \(error)\n\(story)")
                return
            }
        }
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `lives the same lives for the same seed`(seed: UInt64) throws {
        var runs = [try CrashRun(seed: seed), try CrashRun(seed: seed)]
        for index in runs.indices { try runs[index].run() }
        #expect(runs[0].story == runs[1].story)
    }
}

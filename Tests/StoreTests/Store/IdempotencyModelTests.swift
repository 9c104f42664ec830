import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Line: Entity {
    var id: Int
}

private struct Command: DomainCommand {
    var number: Int
}

/// A model test: random writes with keys on a store that is reopened often, also with another
/// window, without its checkpoint, and after a kill. The model is the list of the events with keys.
@Suite(.long) struct `Random writes with idempotency keys` {
    private struct Run {
        struct Entry {
            let key: String
            let intent: Int
            let sequence: SequenceNumber
            let time: Int64
        }

        struct Block: Error {}

        var random: RandomSource
        let clock = ManualClock()
        var disk = SimulatedDisk()
        var window: Int64 = 10_000
        var store: Store
        var entries: [Entry] = []
        var repeatedCount = 0

        init(seed: UInt64) throws {
            random = RandomSource(seed: seed)
            store = try Self.open(disk, clock, window)
        }

        static func open(_ disk: SimulatedDisk, _ clock: ManualClock, _ window: Int64) throws
            -> Store
        {
            var options = Store.Options()
            options.idempotencyWindow = .microseconds(window)
            options.syncInterval = .seconds(3_600)
            options.segmentBytesMax = 2_000
            let environment = Environment(
                disk: disk, clock: clock, entropy: SeededEntropy(seed: 1))
            return try Store.simulated([Line.self], options, environment)
        }

        mutating func reopen() throws {
            window = [5_000, 10_000, 40_000][random.below(3)]
            store = try Self.open(disk, clock, window)
        }

        mutating func step() throws {
            switch random.below(20) {
            case 0...1: try store.write { try $0.upsert(Line(id: 1)) }
            case 2...4: clock.advance(byMicroseconds: Int64(random.below(9)) * 1_000 - 2_000)
            case 5: try store.run(.checkpoint)
            case 6:
                try store.close()
                try reopen()
            case 7:
                disk = disk.killed()
                try reopen()
            case 8:
                try store.close()
                if random.below(2) == 0 {
                    disk.erase("checkpoint.sqlite")
                } else {
                    try Archive(on: disk).rebuildCheckpoint()
                }
                try reopen()
            case 9: try store.write(once: "x\(random.next())") { _ in }
            default: try writeOnce()
            }
        }

        /// The entry that the store must know of a key.
        private func known(_ key: String) -> Entry? {
            let next = max(clock.nowMicroseconds(), store.snapshot.time.microseconds + 1)
            let entry = entries.last { $0.key == key }
            return entry.flatMap { next - $0.time <= window ? $0 : nil }
        }

        private mutating func writeOnce() throws {
            let (key, intent) = ("k\(random.below(6))", random.below(2))
            let expected = known(key)
            let throwsInBlock = random.below(4) == 0
            do {
                let receipt = try store.write(once: key, intent: Command(number: intent)) { tx in
                    if throwsInBlock { throw Block() }
                    if intent == 0 { try tx.upsert(Line(id: 2)) }
                }
                #expect(receipt.isRepeated == (expected != nil))
                guard let expected else {
                    let sequence = try #require(receipt.sequence)
                    #expect(sequence == store.sequence)
                    let time = store.snapshot.time.microseconds
                    entries.append(
                        Entry(key: key, intent: intent, sequence: sequence, time: time))
                    return
                }
                repeatedCount += 1
                #expect(receipt.sequence == expected.sequence && expected.intent == intent)
            } catch is Block {
                #expect(expected == nil && throwsInBlock)
            } catch let error as StoreError where error.code == .conflict {
                let first = try #require(expected)
                #expect(first.intent != intent)
                #expect(error.place.sequences == first.sequence...first.sequence)
            }
        }
    }

    @Test(arguments: 0..<Extent.pick(brief: 6, quick: 30, deep: 300))
    func `are repeated as the events in the log say`(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<150 { try run.step() }
        #expect(run.repeatedCount > 0)
        try run.store.close()
        #expect(try Archive(on: run.disk).verify().problems == [])
    }
}

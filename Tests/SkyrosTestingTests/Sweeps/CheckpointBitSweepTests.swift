import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Every bit of a checkpoint of 32 KiB; in every test run a sample.
@Suite(.long) struct `A checkpoint with one wrong bit` {
    private let killed: SimulatedDisk
    private let checkpoint: [UInt8]
    private let digest: StateDigest
    private let sequence: SequenceNumber

    private static let name = "checkpoint.sqlite"
    /// The place of `user_version` in the file.
    private static let versionBytes = 60..<64
    /// Small, as each opening of a store makes a file of that size.
    private static let segmentBytesMax = 8_000

    /// A store that was killed: a checkpoint that was written in steps, and events after it.
    init() throws {
        let disk = SimulatedDisk()
        let store = try Store.forCrashes(
            on: disk, SegmentSizes(full: Self.segmentBytesMax, least: 64 << 10),
            clock: ManualClock(), seed: 3)
        func put(_ ids: Range<Int>, _ number: Int) throws {
            try store.write(because: "put \(number)") { tx in
                for id in ids {
                    let text = String(repeating: "x", count: (id &* 131 + number) % 350)
                    let item = CrashItem(id: id, number: number, text: text)
                    if try tx.exists(CrashItem.self, id) {
                        try tx.update(item)
                    } else {
                        try tx.insert(item)
                    }
                }
            }
        }
        try put(0..<90, 1)
        try store.maintenance.checkpoint()
        try put(20..<40, 2)
        try store.write { tx in for id in 50..<70 { try tx.delete(CrashItem.self, id) } }
        try store.maintenance.checkpoint()
        checkpoint = try #require(disk.contents[Self.name])
        try put(80..<100, 3)
        digest = try store.snapshot.digest()
        sequence = store.sequence
        killed = disk.killed()
        disk.inject(Fault(nil, isLasting: true))
        withExtendedLifetime(store) {}
    }

    @Test func `never leads to a wrong state: it is loaded, or rebuilt from the log (F26)`() throws
    {
        #expect(checkpoint.count >= 32 << 10)
        let interval = Extent.pick(brief: 2_111, quick: 211, deep: 1)
        let wrong = sweepBits(
            "checkpoint bits", byteCount: checkpoint.count, every: interval, outcome(flipping:))
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    }

    /// Opens the store with another checkpoint, and returns how it was used.
    private func outcome(flipping bit: Int) throws -> String {
        let disk = killed.killed()
        var bytes = checkpoint
        bytes[bit / 8] ^= 1 << (bit % 8)
        disk.overwrite(Self.name, with: bytes)
        let environment = Environment(
            disk: disk, clock: ManualClock(), entropy: SeededEntropy(seed: 4))
        var options = Store.Options()
        options.segmentBytesMax = Self.segmentBytesMax
        let opening = StoreOpening(
            environment: environment, schema: try Schema.ofCrashItems.get(), options: options)
        let opened: StoreResources
        do {
            opened = try opening.open()
        } catch let error as StoreError where error.code == .unsupportedFormat {
            // The version in the header: as long as it is there, it is taken at its word.
            guard Self.versionBytes.contains(bit / 8) else { throw error }
            return "refused as newer"
        }
        defer { try? opened.checkpointer?.close() }
        let snapshot = opened.view.current
        guard snapshot.sequence == sequence, try snapshot.digest() == digest else {
            throw CrashFinding(description: "P7: a wrong state, \(opened.recovery)")
        }
        switch opened.recovery.checkpoint {
        case .loaded: return "loaded"
        case .busy: return "busy"
        case .rebuilt: return "rebuilt"
        case .none: return "taken for none"
        }
    }
}

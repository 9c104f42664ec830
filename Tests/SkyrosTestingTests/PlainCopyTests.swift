import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
    var text = ""
}

/// Copies whose files are of different moments, as `cp -r`, `rsync` and `tar` make them of a store
/// that is written, sealed and checkpointed meanwhile.
@Suite(.long) struct `A plain copy of a live store` {
    private struct Moment {
        let files: [String: [UInt8]]
        let durable: SequenceNumber
    }

    /// The files after each step of a writer, the last of which closes the store.
    private func moments(_ random: inout RandomSource) throws -> (SimulatedDisk, [Moment]) {
        let disk = SimulatedDisk()
        var options = Store.Options()
        options.segmentBytesMax = 1_000
        let store = try Store.simulated([Item.self], options, Environment(disk: disk))
        var moments: [Moment] = []
        func note() {
            moments.append(
                Moment(files: disk.contents, durable: store.safeSequences.durable))
        }
        for step in 0..<40 {
            switch random.below(6) {
            case 0: try store.run(.checkpoint)
            case 1: try store.run(.seal)
            case 2: try store.run(.mark)
            default:
                let durability: Durability = random.below(2) == 0 ? .durable : .buffered
                try store.write(durability: durability) { tx in
                    try tx.upsert(Item(id: step % 7, text: "step \(step)"))
                }
            }
            note()
        }
        try store.close()
        note()
        return (disk, moments)
    }

    /// The files that were there when the copying began, each as of a later moment; those that are
    /// gone by then are missing.
    private func copy(
        _ moments: [Moment], from first: Int, slowness: Int, _ random: inout RandomSource
    ) -> [String: [UInt8]] {
        var names = Array(moments[first].files.keys.sorted())
        names.shuffle(using: &random)
        var files: [String: [UInt8]] = [:]
        var number = first
        for name in names {
            number = min(moments.count - 1, number + random.below(slowness + 1))
            files[name] = moments[number].files[name]
        }
        return files
    }

    @Test func `has all that was durable when the copying began, or says what to copy again (F73)`()
        throws
    {
        var counts: [String: Int] = [:]
        for seed in 0..<UInt64(Extent.current == .deep ? 3_000 : 150) {
            var random = RandomSource(seed: seed)
            let (disk, moments) = try moments(&random)
            let first = random.below(moments.count)
            let files = copy(moments, from: first, slowness: random.below(4), &random)
            let copied = disk.copied()
            for name in copied.contents.keys { copied.erase(name) }
            for (name, bytes) in files { copied.overwrite(name, with: bytes) }
            do {
                let store = try Store(on: copied, entities: Item.self)
                // All files of the log were gone when their turn came, as the copier reports.
                let isEmpty = !files.keys.contains { $0.hasPrefix("events/") }
                #expect(store.recovery.isNew == isEmpty, "seed \(seed)")
                if isEmpty { continue }
                #expect(store.sequence >= moments[first].durable, "seed \(seed)")
                let digest = try store.snapshot.digest()
                let fold = try store.snapshot(asOf: .sequence(store.sequence))
                #expect(try digest == fold.digest(), "seed \(seed)")
                try store.close()
                counts["opened", default: 0] += 1
            } catch let error as StoreError {
                #expect(
                    error.message.contains("copy its events/ again"), "seed \(seed): \(error)")
                #expect(error.place.file != nil, "seed \(seed): \(error)")
                counts[error.code.name, default: 0] += 1
                // So it is: the files of the log once more, over those that are there.
                for (name, bytes) in moments[moments.count - 1].files
                where name.hasPrefix("events/") {
                    copied.overwrite(name, with: bytes)
                }
                let store = try Store(on: copied.killed(), entities: Item.self)
                #expect(store.sequence >= moments[first].durable, "seed \(seed)")
            }
        }
        #expect(counts["opened", default: 0] > 50, "\(counts)")
        #expect(counts["logBehindCheckpoint", default: 0] > 0, "\(counts)")
        #expect(counts["segmentMissing", default: 0] > 0, "\(counts)")
    }
}

import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros
@testable import SkyrosLog

/// A store whose records change for a long time, and whose state does not grow.
@Suite(.long) struct `A constant state` {
    @Test func `needs no more memory with each event (F52)`() throws {
        var options = Store.Options()
        options.segmentBytesMax = 1 << 20
        let disk = SimulatedDisk()
        let store = try Store.simulated(
            [Restaurant.self], options, Environment(disk: disk, entropy: SeededEntropy(seed: 1)))
        var records = (0..<500).map { Restaurant(name: "name \($0)", cuisine: "old") }
        try store.write { try $0.insert(records) }
        var random = RandomSource(seed: 7)
        var nodeBytes: [Int] = []
        for round in 0..<8 {
            for number in 0..<2_500 {
                let index = Int(random.next() % UInt64(records.count))
                records[index].cuisine = "cuisine \(number % 50)"
                let record = records[index]
                try store.write { try $0.update(record) }
            }
            while try store.resources.log.segments?.sealNext() == true {}
            try store.run(.checkpoint)
            #expect(store.view.takeDirty().1.tables.allSatisfy { $0 == nil })
            nodeBytes.append(store.snapshot.tables[0].rows.nodeBytes)
            // What the log keeps in memory for each part of 8 or 64 KiB, whatever it holds.
            let log = try #require(store.resources.log as? FileLog)
            let (waypoints, frames, open) = log.state.withLock { state in
                (
                    state.catalog.active.scan.waypoints.count,
                    state.catalog.sealed.reduce(0) { $0 + $1.frames.count },
                    state.catalog.active.scan.endOffset
                )
            }
            let bytes = log.statistics.contentBytes
            #expect(frames <= bytes / (64 << 10) + 2 * log.statistics.segmentCount, "\(round)")
            #expect(waypoints <= open / (8 << 10) + 1, "\(round)")
        }
        // Nodes that a change replaces are freed, and used again.
        #expect(Set(nodeBytes).count == 1, "\(nodeBytes)")
        try store.close()
    }
}

import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Random writes, openings, kills, prunes, and so on; the projection must always be that of a fold.
@Suite(.long) struct `Random histories with a projection` {
    private struct Run {
        var random: RandomSource
        let clock = ManualClock()
        var disk = SimulatedDisk()
        var store: Store
        /// Snapshots that a reader keeps, with their projections.
        var kept: [(state: Snapshot, tally: Tally)] = []

        init(seed: UInt64) throws {
            random = RandomSource(seed: seed)
            store = try Store.projecting(on: disk, Tally.self, clock: clock)
        }

        mutating func reopen(with isTallied: Bool = true) throws {
            store =
                isTallied
                ? try Store.projecting(on: disk, Tally.self, clock: clock)
                : try Store.projecting(on: disk, clock: clock)
        }

        mutating func step() throws {
            switch random.below(30) {
            case 0: try store.run(.checkpoint)
            case 1:
                try store.close()
                try reopen()
            case 2:
                disk = disk.killed()
                try reopen()
            case 3:
                disk = disk.crashed(seed: random.next())
                try reopen()
            case 4:
                try store.close()
                try disk.remove(.checkpoint)
                try reopen()
            case 5:
                // An extension of the app does not know the projection.
                try store.close()
                try reopen(with: false)
                for _ in 0..<random.below(5) { try write() }
                if random.below(3) == 0 { _ = try store.prune(before: .distantFuture) }
                if random.below(2) == 0 { try store.close() } else { disk = disk.killed() }
                try reopen()
            case 6:
                store.suspend()
                // The other store stands for another process, where the disk is not suspended.
                disk.resume()
                let other = try Store.projecting(on: disk, clock: clock)
                let mine = store
                store = other
                for _ in 0..<random.below(5) { try write() }
                if random.below(2) == 0 { try other.close() } else { other.suspend() }
                store = mine
                try store.resume()
            case 7 where random.below(4) == 0:
                try store.nuke()
                kept = []
            case 8 where store.sequence > .zero:
                _ = try store.prune(before: store.snapshot.time.date)
            case 9: try store.rebuild(Tally.self)
            case 10:
                kept.append((store.snapshot, try store.projection(Tally.self)))
                if kept.count > 3 { kept.removeFirst() }
            default: try write()
            }
            try check()
        }

        private mutating func write() throws {
            clock.advance(byMicroseconds: 1_000)
            var random = random
            defer { self.random = random }
            try store.write { tx in
                for _ in 0...random.below(3) {
                    let id = random.below(12)
                    switch random.below(12) {
                    case 0: try tx.deleteAll(Note.self)
                    case 1..<4: try tx.delete(Note.self, id)
                    default: try tx.upsert(Note(id: id, text: "t\(random.below(5))"))
                    }
                }
                if random.below(20) == 0 { try tx.upsert(Note(id: 99, text: "\(random.next())")) }
            }
        }

        func check() throws {
            let state = store.snapshot
            #expect(try state.projection(Tally.self).fits(state))
            for (state, tally) in kept {
                #expect(try state.projection(Tally.self) == tally)
                #expect(try tally.fits(state))
            }
        }
    }

    @Test(arguments: 0..<Extent.pick(brief: 6, quick: 30, deep: 400))
    func `have its value in each snapshot, after each opening`(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<120 { try run.step() }
        try run.store.close()
        #expect(try Archive(on: run.disk).verify().problems == [])
    }
}

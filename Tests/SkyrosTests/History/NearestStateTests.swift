import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// The states that an archive makes by the shortest way, and what it says differs between them.
@Suite(.long) struct `A past state by the shortest way` {
    /// 40 notes, then 400 changes of them; the checkpoint is that of event 430.
    private static func disk() throws -> SimulatedDisk {
        let live = SimulatedDisk()
        let store = try Store(on: live, entities: Note.self)
        store.maintenance.stop()
        for id in 0..<40 { try store.write { try $0.insert(Note(id: id, text: "first")) } }
        for round in 0..<400 {
            if round == 390 { try store.run(.checkpoint) }
            try store.write { try $0.upsert(Note(id: round % 40, text: "\(round)")) }
        }
        let disk = live.crashed(keeping: .max)
        try store.close()
        return disk
    }

    /// The state, and of how many records and events it was made.
    private func nearest(
        _ archive: Archive, _ number: UInt64, from known: Snapshot? = nil
    ) throws -> (Snapshot, total: Int) {
        var total = 0
        let moment = Moment.sequence(SequenceNumber(rawValue: number))
        let state = try archive.nearestSnapshot(asOf: moment, from: known) { total = $1 }
        #expect(state.sequence.rawValue == number)
        #expect(try state.digest() == archive.snapshot(asOf: moment).digest())
        return (state, total)
    }

    @Test func `is made of what is near`() throws {
        let archive = try Archive(on: Self.disk())
        // Back from the checkpoint, and on from it.
        #expect(try nearest(archive, 420).total == 40 + 10)
        #expect(try nearest(archive, 430).total == 40)
        let (later, total) = try nearest(archive, 437)
        #expect(total == 40 + 7)
        // Of a state that is known.
        #expect(try nearest(archive, 440, from: later).total == 3)
        #expect(try nearest(archive, 435, from: later).total == 2)
        #expect(try nearest(archive, 437, from: later).total == 0)
        // Of the log, whose beginning is nearer.
        #expect(try nearest(archive, 10).total == 10)
        #expect(try nearest(archive, 10, from: later).total == 10)
        #expect(try nearest(archive, 0).total == 0)
    }

    @Test func `is made of the log if the checkpoint is damaged, missing or of another history`()
        throws
    {
        let disk = try Self.disk()
        let good = try #require(disk.contents["checkpoint.sqlite"])
        var damaged = good
        damaged[good.count - 10] ^= 1
        for bytes in [damaged, [], [1, 2, 3]] {
            disk.overwrite("checkpoint.sqlite", with: bytes)
            #expect(try nearest(Archive(on: disk), 420).total == 420)
        }
        disk.overwrite("checkpoint.sqlite", with: good)
        #expect(try nearest(Archive(on: disk), 420).total == 50)
        let other = SimulatedDisk()
        let store = try Store(on: other, entities: Note.self)
        for id in 0..<430 { try store.write { try $0.insert(Note(id: id, text: "b")) } }
        try store.close()
        let foreign = try #require(other.contents["checkpoint.sqlite"])
        disk.overwrite("checkpoint.sqlite", with: foreign)
        #expect(try nearest(Archive(on: disk), 420).total == 420)
        let known = try Archive(on: other).snapshot(asOf: .sequence(419))
        #expect(try nearest(Archive(on: disk), 420, from: known).total == 420)
    }

    @Test func `is made of the log if what follows the moment is damaged`() throws {
        let disk = try Self.disk()
        let digest = try Archive(on: disk).snapshot(asOf: .sequence(420)).digest()
        let path = "events/\(try #require(disk.list(.events).max()))"
        let bytes = try #require(disk.contents[path])
        var answers = (folded: 0, refused: 0)
        for offset in stride(from: 0, to: bytes.count, by: bytes.count / 40) {
            let copy = disk.killed()
            var damaged = bytes
            damaged[offset] ^= 1
            copy.overwrite(path, with: damaged)
            let environment = Environment(disk: copy)
            guard let archive = try? Archive.reading(asOf: .sequence(420), on: environment),
                let folded = try? archive.snapshot(asOf: .sequence(420))
            else {
                answers.refused += 1
                continue
            }
            answers.folded += 1
            #expect(try folded.digest() == digest)
            #expect(try archive.nearestSnapshot(asOf: .sequence(420)).digest() == digest)
        }
        #expect(answers.folded > 0 && answers.refused > 0)
    }

    @Test func `differs in the records that the events between have changed`() throws {
        let archive = try Archive(on: Self.disk())
        var isRead = false
        func diff(_ first: UInt64, _ second: UInt64) throws -> [RecordDifference] {
            isRead = false
            return try archive.diff(
                from: .sequence(SequenceNumber(rawValue: first)),
                to: .sequence(SequenceNumber(rawValue: second)), progress: { _, _ in isRead = true }
            )
        }
        let last = try diff(430, 440)
        #expect(last.map(\.id) == (30..<40).map { RecordID($0) })
        #expect(last.allSatisfy { $0.kind == .updated })
        #expect(!isRead)
        let back = try diff(440, 430)
        #expect(!isRead)
        #expect(back.map(\.recordBefore) == last.map(\.recordAfter))
        #expect(back.map(\.recordAfter) == last.map(\.recordBefore))
        #expect(try diff(440, 440).isEmpty)
        // More than are found one by one.
        #expect(try diff(20, 440).count == 40)
        #expect(isRead)
        #expect(throws: StoreError.self) { try diff(440, 441) }
        #expect(throws: StoreError.self) { try diff(441, 440) }
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 200)))
    func `is the one that a fold makes, and so are the differences`(seed: UInt64) throws {
        let twins = try TwinStores(seed: seed, historyIndex: seed % 3 == 0 ? .scan : .runs)
        var random = RandomSource(seed: seed + 900)
        for _ in 0..<4 {
            for _ in 0..<20 + random.below(60) {
                try twins.write()
                try twins.maintain()
            }
            if random.below(2) == 0 { _ = try twins.pruned.prune(before: twins.randomTime()) }
            if random.below(3) == 0 { try twins.reopen(withoutCheckpoint: random.below(2) == 0) }
            try compare(Archive(on: twins.disk), &random)
        }
        try twins.close()
    }

    private func compare(_ archive: Archive, _ random: inout RandomSource) throws {
        let first = archive.firstSequence.advanced(by: -1)
        var states = [try archive.snapshot(asOf: .sequence(first))]
        try archive.replay { _, state in
            states.append(state)
            return true
        }
        for state in states {
            let known = random.below(2) == 0 ? states[random.below(states.count)] : nil
            let near = try archive.nearestSnapshot(asOf: .sequence(state.sequence), from: known)
            #expect(near.sequence == state.sequence && near.chainHash == state.chainHash)
            #expect(near.time == state.time && near.entities == state.entities)
            #expect(try near.digest() == state.digest())
            #expect(near.recordedSchemas.map(\.key) == state.recordedSchemas.map(\.key))
            #expect(near.differences(from: state).isEmpty)
            let other = states[random.below(states.count)]
            let close = states[min(states.count - 1, Int(first.distance(to: state.sequence)) + 3)]
            for second in [other, close, states[states.count - 1]] {
                let list = try archive.diff(
                    from: .sequence(state.sequence), to: .sequence(second.sequence))
                #expect(list == second.differences(from: state))
                let notes = try archive.diff(
                    from: .date(state.time.date), to: .sequence(second.sequence), in: "Note")
                #expect(notes == second.differences(from: state, in: "Note"))
            }
        }
    }
}

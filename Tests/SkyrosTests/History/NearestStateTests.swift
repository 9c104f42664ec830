import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// The states that an archive makes by the shortest way, and what it says differs between them.
@Suite(.long) struct `A past state by the shortest way` {
    /// 400 notes, then 400 changes of them; the checkpoint is that of event 790.
    private static func disk(hasRuns: Bool = true) throws -> SimulatedDisk {
        let live = SimulatedDisk()
        let store = try Store(on: live, entities: Note.self)
        store.maintenance.stop()
        for id in 0..<400 { try store.write { try $0.insert(Note(id: id, text: "first")) } }
        for round in 0..<400 {
            if round == 390 { try store.run(.checkpoint) }
            try store.write { try $0.upsert(Note(id: round, text: "\(round)")) }
        }
        if hasRuns { #expect(try store.makeRun()) }
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
        #expect(try nearest(archive, 780).total == 400 + 10)
        #expect(try nearest(archive, 790).total == 400)
        let (later, total) = try nearest(archive, 797)
        #expect(total == 400 + 7)
        // Of a state that is known.
        #expect(try nearest(archive, 800, from: later).total == 3)
        #expect(try nearest(archive, 795, from: later).total == 2)
        #expect(try nearest(archive, 797, from: later).total == 0)
        // Of the log, whose beginning is nearer.
        #expect(try nearest(archive, 10).total == 10)
        #expect(try nearest(archive, 10, from: later).total == 10)
        #expect(try nearest(archive, 0, from: later).total == 0)
    }

    @Test func `is not made of a checkpoint that is later than what was read`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        for id in 0..<60 { try store.write { try $0.upsert(Note(id: id % 2, text: "\(id)")) } }
        let archive = try Archive(on: disk)
        try store.write { try $0.delete(Note.self, 1) }
        try store.run(.checkpoint)
        #expect(try nearest(archive, 58).total == 58)
        #expect(try archive.refresh())
        #expect(try nearest(archive, 58).total == 1 + 3)
        try store.close()
    }

    @Test func `begins anew at the floor only if that is near`() throws {
        let disk = SimulatedDisk()
        var options = Store.Options()
        options.segmentBytesMax = 3_000
        let store = try Store(on: disk, entities: Note.self, options: options)
        for id in 0..<200 { try store.write { try $0.insert(Note(id: id, text: "a")) } }
        let floor = try #require(try store.prune(before: .distantFuture)?.floor)
        for id in 0..<40 { try store.write { try $0.upsert(Note(id: id, text: "b")) } }
        try store.run(.checkpoint)
        let archive = try Archive(on: disk)
        let newest = try archive.newestSnapshot()
        #expect(floor.recordCount > 100)
        #expect(try nearest(archive, 235, from: newest).total == 5)
        #expect(try nearest(archive, 235).total == 200 + 5)
        _ = try nearest(archive, floor.sequence.rawValue)
        try store.close()
    }

    private struct Card: Entity, Equatable {
        var id: Int
        var board = 0
        static let indexes: [Index<Card>] = [.on(\.board)]
    }

    @Test func `has the indexes of its types`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Card.self)
        for number in 0..<200 {
            let id = number % 10
            try store.write { tx in
                if number % 7 == 0 { try tx.delete(Card.self, id) }
                try tx.upsert(Card(id: (id * 3) % 10, board: number % 4))
            }
            if number == 150 { try store.run(.checkpoint) }
        }
        let archive = try Archive(on: disk, entities: [Card.self])
        let newest = try archive.newestSnapshot()
        for number in stride(from: 100 as UInt64, through: 200, by: 5) {
            let moment = Moment.sequence(SequenceNumber(rawValue: number))
            let folded = try archive.snapshot(asOf: moment)
            for known in [nil, newest] {
                let near = try archive.nearestSnapshot(asOf: moment, from: known)
                for board in 0..<4 {
                    let filter: Filter<Card> = \.board == board
                    let found = try near.all(Card.self, where: filter, sortedBy: \.id)
                    #expect(try found == folded.all(Card.self, where: filter, sortedBy: \.id))
                    #expect(try near.count(Card.self, where: filter) == found.count)
                }
            }
        }
        try store.close()
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
            #expect(try nearest(Archive(on: disk), 780).total == 780)
        }
        disk.overwrite("checkpoint.sqlite", with: good)
        #expect(try nearest(Archive(on: disk), 780).total == 410)
        let other = SimulatedDisk()
        let store = try Store(on: other, entities: Note.self)
        for id in 0..<790 { try store.write { try $0.insert(Note(id: id, text: "b")) } }
        try store.close()
        let foreign = try #require(other.contents["checkpoint.sqlite"])
        disk.overwrite("checkpoint.sqlite", with: foreign)
        #expect(try nearest(Archive(on: disk), 780).total == 780)
        let known = try Archive(on: other).snapshot(asOf: .sequence(779))
        #expect(try nearest(Archive(on: disk), 780, from: known).total == 780)
    }

    @Test func `is made of the log if what follows the moment is damaged`() throws {
        let disk = try Self.disk()
        let digest = try Archive(on: disk).snapshot(asOf: .sequence(780)).digest()
        let path = "events/\(try #require(disk.list(.events).max()))"
        let bytes = try #require(disk.contents[path])
        var answers = (folded: 0, refused: 0)
        for offset in stride(from: 0, to: bytes.count, by: bytes.count / 40) {
            let copy = disk.killed()
            var damaged = bytes
            damaged[offset] ^= 1
            copy.overwrite(path, with: damaged)
            let environment = Environment(disk: copy)
            guard let archive = try? Archive.reading(asOf: .sequence(780), on: environment),
                let folded = try? archive.snapshot(asOf: .sequence(780))
            else {
                answers.refused += 1
                continue
            }
            answers.folded += 1
            #expect(try folded.digest() == digest)
            #expect(try archive.nearestSnapshot(asOf: .sequence(780)).digest() == digest)
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
        let last = try diff(790, 800)
        #expect(last.map(\.id) == (390..<400).map { RecordID($0) })
        #expect(last.allSatisfy { $0.kind == .updated })
        #expect(!isRead)
        let back = try diff(800, 790)
        #expect(!isRead)
        #expect(back.map(\.recordBefore) == last.map(\.recordAfter))
        #expect(back.map(\.recordAfter) == last.map(\.recordBefore))
        #expect(try diff(800, 800).isEmpty)
        // More than are found one by one.
        #expect(try diff(20, 800).count == 400)
        #expect(isRead)
        #expect(throws: StoreError.self) { try diff(800, 801) }
        #expect(throws: StoreError.self) { try diff(801, 800) }
    }

    @Test func `differs in the same if there are no runs, or one is damaged`() throws {
        let moments = (Moment.sequence(785), Moment.sequence(795))
        let disk = try Self.disk()
        let right = try Archive(on: disk).diff(from: moments.0, to: moments.1)
        #expect(right.count == 10)
        let without = try Archive(on: Self.disk(hasRuns: false))
        #expect(try without.diff(from: moments.0, to: moments.1) == right)
        let path = "history/\(try #require(disk.list(.history).first))"
        let bytes = try #require(disk.contents[path])
        for offset in stride(from: 0, to: bytes.count, by: bytes.count / 30) {
            var damaged = bytes
            damaged[offset] ^= 1
            disk.overwrite(path, with: damaged)
            #expect(try Archive(on: disk).diff(from: moments.0, to: moments.1) == right)
        }
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 200)))
    func `is the one that a fold makes, and so are the differences`(seed: UInt64) throws {
        let twins = try TwinStores(seed: seed, historyIndex: seed % 3 == 0 ? .scan : .runs)
        var random = RandomSource(seed: seed + 900)
        for _ in 0..<3 {
            for _ in 0..<20 + random.below(50) {
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
            guard random.below(3) == 0 else { continue }
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

import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private enum Shapes {
    struct First: Entity {
        static let entityName = "Thing"
        var id: Int
        var name = "a"
    }

    struct Second: Entity, Equatable {
        static let entityName = "Thing"
        var id: Int
        var name = "a"
        var color = "red"
        static let evolution: Evolution<Second> = [.version(2) { .add("color", "red") }]
    }
}

@Suite(.long) struct `Pruning the history` {
    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 300)))
    func `leaves all answers about what is kept (F60)`(seed: UInt64) throws {
        let twins = try TwinStores(seed: seed, historyIndex: seed % 3 == 0 ? .scan : .runs)
        var random = RandomSource(seed: seed + 500)
        for _ in 0..<4 {
            for _ in 0..<random.below(60) {
                try twins.write()
                try twins.maintain()
            }
            guard twins.whole.sequence > 0 else { continue }
            let time = try twins.randomTime()
            let before = twins.pruned.firstSequence
            let report = try twins.pruned.prune(before: time, by: "eve", because: "enough")
            if let report {
                #expect(report.floor == (try twins.pruned.floor))
                #expect(report.events.lowerBound == before)
                #expect(report.floor.time.date < time)
                #expect(report.floor.actor == "eve" && report.floor.reason == "enough")
            } else {
                #expect(twins.pruned.firstSequence == before)
            }
            try twins.compare()
            switch random.below(3) {
            case 0: try twins.reopen()
            case 1: try twins.reopen(withoutCheckpoint: true)
            default: continue
            }
            try twins.compare()
        }
        try twins.close()
    }

    @Test func `removes the files below it, and no others`() throws {
        let twins = try TwinStores(seed: 7)
        for _ in 0..<120 { try twins.write() }
        try twins.pruned.run(.indexHistory)
        try twins.reopen()
        let segments = try twins.disk.list(.events)
        let report = try #require(try twins.pruned.prune(before: .distantFuture))
        let left = try twins.disk.list(.events)
        let first = twins.pruned.firstSequence
        #expect(left.count { $0.hasSuffix(".floor") } == 1)
        for name in segments.compactMap({ SegmentName($0) }) {
            #expect(left.contains(name.description) == (name.firstSequence >= first.rawValue))
        }
        #expect(report.events == 1...first.advanced(by: -1))
        // Runs have what is no longer kept.
        let runs = try RunName.list(on: twins.disk)
        #expect(runs.allSatisfy { $0.sequences.lowerBound >= first.rawValue })
        try twins.compare()
        #expect(try twins.pruned.prune(before: .distantFuture) == nil)
        try twins.close()
    }

    @Test func `leads from floor to floor`() throws {
        let twins = try TwinStores(seed: 11)
        var last = SequenceNumber.zero
        for _ in 0..<5 {
            for _ in 0..<40 { try twins.write() }
            try twins.pruned.run(.endSegment)
            let report = try #require(try twins.pruned.prune(before: .distantFuture))
            #expect(report.floor.sequence > last)
            last = report.floor.sequence
            #expect(try twins.disk.list(.events).count { $0.hasSuffix(".floor") } == 1)
            try twins.compare()
        }
        try twins.reopen(withoutCheckpoint: true)
        try twins.compare()
        try twins.close()
    }

    @Test func `does nothing to an empty store, and to one with one segment`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        #expect(try store.prune(before: .distantFuture) == nil)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        #expect(try store.prune(before: .distantFuture) == nil)
        #expect(try store.floor == nil && store.firstSequence == 1)
        try store.close()
        #expect(failure(as: StoreError.self) { try store.prune(before: .now) }?.code == .closed)
    }

    private func backup(_ twins: TwinStores, to disk: SimulatedDisk) throws {
        let target = Environment(disk: disk, entropy: SeededEntropy(seed: 5))
        let backup = try Backup(of: twins.disk, onto: target)
        _ = try backup.update()
        try backup.close()
    }

    @Test func `keeps a backup from before useful`() throws {
        let twins = try TwinStores(seed: 3)
        let (old, new) = (SimulatedDisk(), SimulatedDisk())
        let early = SimulatedDisk()
        for _ in 0..<10 { try twins.write() }
        try backup(twins, to: early)
        let last = twins.whole.sequence
        for _ in 0..<50 { try twins.write() }
        try backup(twins, to: old)
        let time = twins.whole.snapshot.time.date
        for _ in 0..<60 { try twins.write() }
        try twins.pruned.run(.endSegment)
        #expect(try twins.pruned.prune(before: time) != nil)
        // It reaches the floor, so it has all of the history.
        try backup(twins, to: old)
        let joined = try Archive(on: old)
        #expect(joined.firstSequence == 1 && joined.sequence == twins.whole.sequence)
        #expect(joined.verify().digest == (try twins.whole.snapshot.digest()))
        let refusal = failure(as: StoreError.self) { try backup(twins, to: early) }
        #expect(refusal?.code == .belowFloor && refusal?.message.contains("event \(last)") == true)
        #expect(try twins.pruned.prune(before: .distantFuture) != nil)
        try backup(twins, to: new)
        let archive = try Archive(on: new)
        #expect(archive.firstSequence == twins.pruned.firstSequence)
        #expect(archive.verify().digest == (try twins.whole.snapshot.digest()))
        try twins.close()
    }

    private func open(
        _ disk: SimulatedDisk, _ entities: any Entity.Type...
    ) throws -> Store {
        var options = Store.Options()
        options.sealThresholdBytes = 1
        let environment = Environment(disk: disk, entropy: SeededEntropy(seed: 1))
        let store = try Store(Schema(entities), options, environment)
        store.maintenance.stop()
        return store
    }

    @Test func `keeps the shape of each record, and what was recorded of it`() throws {
        let disk = SimulatedDisk()
        let first = try open(disk, Shapes.First.self)
        try first.write { try $0.insert([Shapes.First(id: 1), Shapes.First(id: 2)]) }
        try first.close()
        var store = try open(disk, Shapes.Second.self)
        try store.write { try $0.update(Shapes.Second.self, 1) { $0.color = "blue" } }
        let (digest, schemas) = (try store.snapshot.digest(), store.snapshot.recordedSchemas)
        #expect(schemas["Thing"]?.version == 2)
        #expect(try store.prune(before: .distantFuture) != nil)
        try store.close()
        try disk.remove(.checkpoint)
        store = try open(disk, Shapes.Second.self)
        #expect(try store.snapshot.digest() == digest)
        #expect(store.snapshot.recordedSchemas == schemas)
        let rows = try #require(store.snapshot.table("Thing")).sortedRows()
        #expect(rows.map(\.version) == [2, 1])
        #expect(try store.get(Shapes.Second.self, 2) == Shapes.Second(id: 2))
        let entry = try #require(try store.history(of: Shapes.Second.self, 2).first)
        #expect(entry.kind == .kept && entry.sequence == 1)
        #expect(try entry.after(as: Shapes.Second.self) == Shapes.Second(id: 2))
        try store.close()
    }

    @Test func `ends with an erasure`() throws {
        let disk = SimulatedDisk()
        let store = try open(disk, Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        #expect(try store.prune(before: .distantFuture) != nil)
        try store.nuke()
        #expect(try store.floor == nil && store.firstSequence == 1 && store.sequence == 0)
        #expect(try !disk.list(.events).contains { $0.hasSuffix(".floor") })
        try store.write { try $0.insert(Note(id: 1, text: "b")) }
        #expect(try store.history(of: Note.self, 1).map(\.kind) == [.inserted])
        try store.close()
    }

    @Test func `waits while the store is suspended`() throws {
        let disk = SimulatedDisk()
        let store = try open(disk, Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        store.suspend()
        let error = failure(as: StoreError.self) { try store.prune(before: .distantFuture) }
        #expect(error?.code == .suspended)
        try store.resume()
        #expect(try store.prune(before: .distantFuture) != nil)
        store.suspend()
        try store.resume()
        #expect(store.sequence == 1 && store.firstSequence == 2)
        try store.write { try $0.insert(Note(id: 2, text: "b")) }
        try store.close()
        let closed = failure(as: StoreError.self) {
            _ = try store.maintenance.prune(before: EventTime(.distantFuture), nil, nil)
        }
        #expect(closed?.code == .closed)
        #expect(try Archive(on: disk).verify().ok)
    }

    @Test func `leaves a held sequence of events an error`() throws {
        let store = try open(SimulatedDisk(), Note.self)
        for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "a")) } }
        let all = store.events()
        #expect(try store.prune(before: .distantFuture) != nil)
        #expect(failure(as: StoreError.self) { _ = try Array(all) }?.code == .belowFloor)
        #expect(
            failure(as: StoreError.self) { _ = try Array(store.events(2...2)) }?.code
                == .belowFloor)
        #expect(try Array(store.events()).isEmpty)
        try store.close()
    }

    @Test func `shows to a reader that looked before it`() throws {
        let disk = SimulatedDisk()
        let store = try open(disk, Note.self)
        for id in 1...3 {
            try store.write(durability: .durable) { try $0.insert(Note(id: id, text: "a")) }
        }
        try store.run(.endSegment)
        try store.run(.seal)
        let archive = try Archive(on: disk)
        let events = archive.events()
        #expect(try store.prune(before: .distantFuture) != nil)
        try store.write { try $0.insert(Note(id: 4, text: "b")) }
        let error = failure(as: StoreError.self) { _ = try Array(events) }
        #expect(error?.code == .belowFloor)
        #expect(archive.firstSequence == 4)
        _ = try archive.refresh()
        #expect(try Array(archive.events()).map(\.sequence) == [4])
        #expect(try archive.history(of: "Note", RecordID(1)).map(\.kind) == [.kept])
        try store.close()
    }

    @Test func `refuses a date that is no number`() throws {
        let twins = try TwinStores(seed: 5)
        for _ in 0..<30 { try twins.write() }
        let store = twins.pruned
        let date = Date(timeIntervalSince1970: .nan)
        #expect(throws: StoreError(.invalidInput, "")) { try store.prune(before: date) }
        #expect(throws: StoreError(.invalidInput, "")) { try store.snapshot(asOf: .date(date)) }
        #expect(throws: StoreError(.invalidInput, "")) { try store.snapshot(occurred: date) }
        #expect(throws: StoreError(.invalidInput, "")) {
            try store.write(metadata: Metadata(occurredAt: date)) { try $0.delete(Note.self, 1) }
        }
        #expect(throws: StoreError(.invalidInput, "")) {
            try store.archive().prunePlan(before: date)
        }
        #expect(store.firstSequence == 1)
        try twins.close()
    }

    @Test func `leaves what two logs have in common`() throws {
        let twins = try TwinStores(seed: 7)
        for _ in 0..<30 { try twins.write() }
        let short = twins.disk.killed()
        for _ in 0..<30 { try twins.write() }
        #expect(try twins.pruned.prune(before: twins.pruned.snapshot.time.date) != nil)
        let (before, after) = (try Archive(on: short), try twins.pruned.archive())
        #expect(after.firstSequence.rawValue > before.sequence.rawValue + 1)
        #expect(throws: StoreError(.belowFloor, "")) { try before.firstDifference(from: after) }
        #expect(try after.firstDifference(from: after) == nil)
        try twins.close()
    }
}

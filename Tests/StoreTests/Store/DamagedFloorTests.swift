import Dispatch
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
    var text = ""
}

/// Verification and salvage of a store whose oldest events were pruned.
@Suite struct `A pruned store that may be damaged` {
    private let disk = SimulatedDisk()
    /// The store before it was pruned.
    private let whole: SimulatedDisk
    private let first: SequenceNumber
    private let count: SequenceNumber = 60
    private let clock = ManualClock()

    /// The last event that was pruned.
    private var last: SequenceNumber { SequenceNumber(rawValue: first.rawValue - 1) }

    private static var options: Store.Options {
        var options = Store.Options()
        options.segmentBytesMax = 900
        return options
    }

    init() throws {
        let store = try Store.simulated(
            [Item.self], Self.options, Environment(disk: disk, clock: clock))
        for id in 1...60 {
            clock.advance(byMicroseconds: 1_000)
            try store.write(because: "for \(id)") { tx in
                try tx.insert(Item(id: id, text: "text \(id)"))
                if try id > 30 && tx.exists(Item.self, id - 20) {
                    try tx.update(Item.self, id - 20) { $0.text += "!" }
                }
                if id % 7 == 0 { try tx.delete(Item.self, id - 2) }
            }
            try store.run(.seal)
        }
        try store.close()
        disk.erase("checkpoint.sqlite")
        whole = disk.killed()
        first = SequenceNumber(rawValue: try FileLog.prune(on: disk))
    }

    private var floor: String {
        get throws { try #require(disk.contents.keys.first { $0.hasSuffix(".floor") }) }
    }

    private func flip(_ path: String, at offset: Int) throws {
        var bytes = try #require(disk.contents[path])
        bytes[offset] ^= 1 << (offset % 8)
        disk.overwrite(path, with: bytes)
    }

    private func scanned(_ disk: SimulatedDisk? = nil) throws -> Archive {
        try Archive(on: Environment(disk: disk ?? self.disk), reading: .upToDamage)
    }

    private func target(_ disk: SimulatedDisk) -> Environment {
        Environment(disk: disk, entropy: SeededEntropy(seed: 9))
    }

    private func state(_ sequence: SequenceNumber) throws -> StateDigest {
        try Archive(on: Environment(disk: whole)).snapshot(asOf: .sequence(sequence)).digest()
    }

    @Test func `is read and verified like any store if it is not`() throws {
        #expect(first > 20 && first < 45)
        for archive in [try scanned(), try Archive(on: Environment(disk: disk))] {
            #expect(archive.firstSequence == first && archive.sequence == count)
            #expect(archive.damage?.isEmpty ?? true)
            let result = archive.verify()
            #expect(result.problems == [] && result.sequence == count)
            #expect(result.firstSequence == first)
            #expect(try result.digest == state(count))
            #expect(try archive.floor?.digest == state(last))
            for moment in [last, first, 50] {
                let found = try archive.snapshot(asOf: .sequence(moment)).digest()
                #expect(try found == state(moment))
            }
            #expect(code { _ = try archive.snapshot(asOf: .sequence(3)) } == .belowFloor)
            #expect(code { _ = try archive.event(3) } == .belowFloor)
        }
    }

    @Test func `is salvaged with its floor`() throws {
        let copy = SimulatedDisk()
        let archive = try scanned()
        let report = try archive.salvage(onto: target(copy))
        #expect(report.isComplete && report.firstSequence == first && report.sequence == count)
        #expect(try report.digest == state(count))
        #expect(try copy.contents[floor] == disk.contents[floor])
        let saved = try Archive(on: Environment(disk: copy.crashed(seed: 1)))
        #expect(saved.verify().problems == [] && saved.log.storeID == archive.log.storeID)
        #expect(saved.log.beginning == archive.log.beginning)
        var events = saved.events().makeIterator()
        while let event = try events.next() {
            let twin = try archive.event(event.sequence)
            #expect(twin == event)
        }
        let store = try Store(on: copy, entities: Item.self, clock: clock)
        #expect(store.recovery.wasClean && store.recovery.sequence == count)
        try store.write { try $0.insert(Item(id: 1_000)) }
        #expect(store.sequence == count.next)
        try store.close()
    }

    @Test func `is salvaged if no event is left but the floor`() throws {
        let copy = whole.killed()
        let first = SequenceNumber(rawValue: try FileLog.prune(on: copy, isWhole: true))
        #expect(first == count.next)
        let archive = try scanned(copy)
        #expect(archive.verify().problems == [] && archive.verify().sequence == count)
        let saved = SimulatedDisk()
        let report = try archive.salvage(onto: target(saved))
        #expect(report.isComplete && report.firstSequence == first && report.sequence == count)
        #expect(try Archive(on: Environment(disk: saved)).verify().digest == state(count))
    }

    @Test func `keeps the events between the floor and the damage`() throws {
        let name = try #require(
            disk.contents.keys.filter { $0.hasPrefix("events/") && $0.hasSuffix(".zst") }.max())
        try flip(name, at: 150)
        let archive = try scanned()
        let lost = try #require(archive.damage?.damages.first?.sequences)
        #expect(lost.lowerBound > first && archive.sequence.next == lost.lowerBound)
        let copy = SimulatedDisk()
        let report = try archive.salvage(onto: target(copy))
        #expect(report.firstSequence == first && report.sequence == archive.sequence)
        #expect(report.damages.map(\.segment) == [name] && !report.isComplete)
        #expect(try report.digest == state(report.sequence))
        #expect(report.readableAfterDamage == [lost.upperBound.next...count])
        #expect(try Archive(on: Environment(disk: copy)).verify().ok)
        let problems = try Archive(on: Environment(disk: disk)).verify()
        #expect(problems.damages == archive.damage?.damages)
        // What comes before the damage can be read as of a moment.
        let moment = Moment.sequence(first)
        let then = try Archive.reading(asOf: moment, on: Environment(disk: disk))
        #expect(try then.snapshot(asOf: moment).digest() == state(first))
    }

    /// In each part of the file: whatever is wrong, the floor is named, and the events can be read.
    @Test func `names the floor if that is damaged, and reads the events after it`() throws {
        let floor = try floor
        let size = try #require(disk.contents[floor]?.count)
        var damaged = 0
        for offset in stride(from: 0, to: size, by: 5) {
            try flip(floor, at: offset)
            let archive = try scanned()
            let result = archive.verify()
            if result.ok {
                #expect(try result.digest == state(count), "byte \(offset)")
            } else {
                damaged += 1
                #expect(result.damages.map(\.segment) == [floor], "byte \(offset)")
                #expect(result.damages[0].code == .logCorrupt, "byte \(offset)")
                #expect(result.damages[0].sequences == 1...last)
                #expect(result.damages[0].message.contains("--from-checkpoint"))
                #expect(archive.damage?.readableAfterDamage == [first...count], "byte \(offset)")
                let whole = try? Archive(on: Environment(disk: disk)).verify()
                #expect(whole?.ok != true, "byte \(offset)")
            }
            try flip(floor, at: offset)
        }
        #expect(damaged > size / 7)
    }

    @Test func `has nothing to be salvaged but events if the floor is damaged`() throws {
        try flip(floor, at: 150)
        let archive = try scanned()
        let copy = SimulatedDisk()
        let report = try archive.salvage(onto: target(copy))
        #expect(report.sequence == .zero && report.firstSequence == 1 && !report.isComplete)
        #expect(try report.damages.map(\.segment) == [floor])
        #expect(report.readableAfterDamage == [first...count])
        var offered: [SequenceNumber] = []
        try archive.forEachReadableEvent { event in
            offered.append(event.sequence)
            return true
        }
        #expect(offered == Array(first...count))
        #expect(code { _ = try Store(on: disk, entities: Item.self) } == .logCorrupt)
        let path = try floor
        let error = failure(as: StoreError.self) { _ = try Store(on: disk, entities: Item.self) }
        #expect(error?.place.file == path)
    }

    @Test func `has its records saved from the checkpoint if the floor is damaged`() throws {
        let store = try Store(on: disk, entities: Item.self, clock: clock)
        try store.run(.checkpoint)
        try store.close()
        try flip(floor, at: 150)
        let copy = SimulatedDisk()
        let report = try Archive.salvageCheckpoint(on: disk, onto: target(copy))
        #expect(report.adoptedSequence == count && report.firstSequence == 1)
        #expect(try report.digest == state(count))
        #expect(try scanned().lostEvents == nil)
    }

    @Test func `passes over what an unfinished prune has left`() throws {
        let left = disk.contents
        let removed = whole.contents.filter { $0.key.hasPrefix("events/") && left[$0.key] == nil }
        #expect(removed.count > 2)
        var names = removed.keys.sorted()
        while !names.isEmpty {
            for name in removed.keys { disk.erase(name) }
            for name in names { disk.overwrite(name, with: removed[name] ?? []) }
            if names.count == 2 { try flip(names[0], at: 150) }
            for archive in [try scanned(), try Archive(on: Environment(disk: disk))] {
                #expect(archive.firstSequence == first)
                #expect(archive.verify().problems == [])
            }
            names.removeFirst()
        }
    }

    @Test func `is salvaged completely or not at all`() throws {
        let archive = try scanned()
        let whole = SimulatedDisk()
        _ = try archive.salvage(onto: target(whole))
        for step in 0..<whole.operations.count {
            let copy = SimulatedDisk()
            copy.inject(Fault(nil, after: step, isLasting: true))
            let isDone = code { _ = try archive.salvage(onto: target(copy)) }
            for seed in [1, 2] as [UInt64] {
                let left = Environment(disk: copy.crashed(seed: seed))
                let saved = try? Archive(on: left)
                #expect(saved == nil || saved?.sequence == count, "step \(step), seed \(seed)")
                if isDone == nil { #expect(saved?.firstSequence == first, "step \(step)") }
            }
        }
    }

    @Test func `finds rot in its floor while it is open`() throws {
        let reported = Locked<[StoreError]>([])
        let callbacks = DispatchQueue(label: "callbacks")
        var options = Self.options
        options.callbackQueue = callbacks
        options.onError = { error in
            if let error = error as? StoreError { reported.withLock { $0.append(error) } }
        }
        let store = try Store.simulated([Item.self], options, Environment(disk: disk, clock: clock))
        let path = try floor
        try flip(path, at: 150)
        try store.run(.scrub)
        callbacks.sync {}
        let errors = reported.withLock { $0 }
        #expect(errors.map(\.code) == [.logCorrupt] && errors.first?.place.file == path)
        #expect(errors.first?.message.contains("the state before event \(first)") == true)
        let scrub = try #require(ScrubState(on: disk))
        #expect(scrub.findings.map(\.file) == [path] && scrub.position == nil)
        // It was restored; the next round forgets it.
        try flip(path, at: 150)
        clock.advance(byMicroseconds: 8 * 86_400 * 1_000_000)
        try store.run(.scrub)
        #expect(try Archive(on: Environment(disk: disk)).info().scrub?.damages.isEmpty == true)
        try store.close()
    }
}

import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Two stores with the same events, of which one is pruned.
final class TwinStores {
    private let clock = ManualClock()
    private let disks = (SimulatedDisk(), SimulatedDisk())
    private(set) var whole: Store
    private(set) var pruned: Store
    private var random: RandomSource
    /// Whether some events say that they happened before all others.
    private let isReordered: Bool
    private let options: Store.Options
    /// The chain hash of the pruned one through each event.
    private var hashes: [ChainHash] = []

    init(seed: UInt64, historyIndex: Store.Options.HistoryIndex = .runs) throws {
        random = RandomSource(seed: seed)
        isReordered = seed % 2 == 0
        var options = Store.Options()
        options.segmentBytesMax = 3_000
        options.sealThresholdBytes = 400
        options.idempotencyWindow = .milliseconds(40)
        options.historyIndex = historyIndex
        self.options = options
        whole = try Self.open(disks.0, options, clock)
        pruned = try Self.open(disks.1, options, clock)
        hashes = [pruned.snapshot.chainHash]
    }

    var disk: SimulatedDisk { disks.1 }

    private static func open(
        _ disk: SimulatedDisk, _ options: Store.Options, _ clock: ManualClock
    ) throws -> Store {
        let store = try Store(
            on: disk, entities: Note.self, Counter.self, options: options, clock: clock)
        store.maintenance.stop()
        return store
    }

    func reopen(withoutCheckpoint: Bool = false) throws {
        try pruned.close()
        if withoutCheckpoint { try disk.remove(.checkpoint) }
        pruned = try Self.open(disk, options, clock)
    }

    /// The same write in both.
    func write() throws {
        clock.advance(byMicroseconds: 1_000)
        let seed = random.next()
        for store in [whole, pruned] {
            var random = RandomSource(seed: seed)
            let key = random.below(4) == 0 ? "k\(random.below(1_000))" : nil
            let actor = random.below(2) == 0 ? "ada" : "bob"
            var metadata = Metadata()
            if isReordered, random.below(5) == 0 {
                metadata.occurredAt = EventTime(microseconds: 1_000_000)
            }
            func change(_ tx: inout WriteTransaction) throws {
                for _ in 0...random.below(3) {
                    let id = random.below(15)
                    switch random.below(20) {
                    case 0: try tx.deleteAll(Counter.self)
                    case 1..<5: try tx.delete(Note.self, id)
                    case 5..<10: try tx.upsert(Counter(id: "c\(id)", value: random.below(9)))
                    default: try tx.upsert(Note(id: id, text: random.text()))
                    }
                }
            }
            if let key {
                try store.write(once: key, by: actor, metadata: metadata) { try change(&$0) }
            } else {
                try store.write(by: actor, metadata: metadata) { try change(&$0) }
            }
        }
        let state = pruned.snapshot
        if state.sequence.rawValue == UInt64(hashes.count) { hashes.append(state.chainHash) }
    }

    func maintain() throws {
        let step: Store.MaintenanceStep? =
            switch random.below(8) {
            case 0: .indexHistory
            case 1: .checkpoint
            case 2: .endSegment
            case 3: .merge
            case 4: .seal
            default: nil
            }
        if let step { try pruned.run(step) }
    }

    /// A time of the past, of an event as a rule.
    func randomTime() throws -> Date {
        let number = 1 + random.below(Int(whole.sequence.rawValue))
        let time = try #require(try whole.event(SequenceNumber(rawValue: UInt64(number)))).time
        return time.date
    }

    // MARK: Comparing

    func compare() throws {
        #expect(try pruned.snapshot.digest() == whole.snapshot.digest())
        try compareStates()
        try compareHappenings()
        try compareRecords()
        try compareEvents()
        let archive = try Archive(on: disk)
        let verification = archive.verify()
        #expect(verification.ok, "\(verification.problems)")
        #expect(verification.digest == (try whole.snapshot.digest()))
    }

    private func compareParts(_ state: Snapshot, _ moment: Moment) throws {
        guard let index = pruned.session.history else { return }
        for (place, table) in state.tables.enumerated() {
            let part = try pruned.historyReader.part(
                pruned.snapshot, ofTableAt: place, asOf: state.sequence, in: index)
            let (rows, right) = (part.tables[place].sortedRows(), table.sortedRows())
            #expect(rows.map(\.id) == right.map(\.id), "\(table.entity) of \(state.sequence)")
            #expect(rows.map(\.bytes) == right.map(\.bytes))
        }
        let lazy = try pruned.past(asOf: moment)
        for id in 0..<15 {
            #expect(try lazy.get(Note.self, id) == state.get(Note.self, id))
        }
    }

    private func compareStates() throws {
        let first = pruned.firstSequence
        let floor = try pruned.floor
        #expect((floor?.sequence.next ?? 1) == first)
        for number in 0...whole.sequence.rawValue {
            let moment = Moment.sequence(SequenceNumber(rawValue: number))
            if number + 1 < first.rawValue {
                // Every number near the border, and some others.
                if number + 4 < first.rawValue, number % 7 != 0 { continue }
                let error = failure(as: StoreError.self) {
                    _ = try pruned.snapshot(asOf: moment)
                }
                #expect(error?.code == .belowFloor, "state of \(number)")
                continue
            }
            if number > first.rawValue + 2, number % 5 != 0 { continue }
            let past = try pruned.snapshot(asOf: moment)
            let right = try whole.snapshot(asOf: moment)
            #expect(try past.digest() == right.digest(), "state of \(number)")
            #expect(past.chainHash == hashes[Int(number)] && past.time == right.time)
            try compareParts(past, moment)
            let folded = try pruned.historyReader.snapshot(asOf: moment)
            #expect(try folded.digest() == right.digest(), "fold to \(number)")
        }
        if let floor {
            let state = try whole.snapshot(asOf: .sequence(floor.sequence))
            #expect(try floor.digest == state.digest() && floor.recordCount == state.recordCount)
            #expect(floor.time == state.time)
            let atFloor = try pruned.snapshot(asOf: .date(floor.time.date))
            #expect(atFloor.sequence == floor.sequence)
            let before = floor.time.date.addingTimeInterval(-0.000_001)
            let error = failure(as: StoreError.self) {
                _ = try pruned.snapshot(asOf: .date(before))
            }
            #expect(error?.code == .belowFloor)
        }
    }

    /// What happened between pruned events is an error, and nothing else is one.
    private func compareHappenings() throws {
        let times = [whole.snapshot.time.date, try randomTime()]
        for time in times {
            let isDue = try hasAnswer(EventTime(time))
            let right = try whole.snapshot(occurred: time).snapshot.digest()
            do {
                #expect(try pruned.snapshot(occurred: time).snapshot.digest() == right)
            } catch let error as StoreError {
                #expect(error.code == .belowFloor && !isDue)
            }
            let note = try whole.get(Note.self, 3, occurred: time)
            do {
                #expect(try pruned.get(Note.self, 3, occurred: time) == note)
            } catch let error as StoreError {
                #expect(error.code == .belowFloor && !isDue)
            }
        }
    }

    /// Whether what happened until a time can be known without the pruned events: they happened in
    /// their order, and before the time and all others.
    private func hasAnswer(_ time: EventTime) throws -> Bool {
        let events = try Array(whole.events())
        let gone = events.prefix { $0.sequence < pruned.firstSequence }
        guard let last = gone.last else { return true }
        let times = gone.map(\.happenedAt)
        guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else { return false }
        let border = max(last.happenedAt, last.time)
        return time >= border
            && events.dropFirst(gone.count).allSatisfy { $0.happenedAt >= border }
    }

    private func compareRecords() throws {
        let first = pruned.firstSequence
        for id in 0..<15 {
            let all = try whole.history(of: Note.self, id)
            let kept = try pruned.history(of: Note.self, id)
            #expect(
                kept.filter { $0.kind != .kept }.map(\.sequence)
                    == all.map(\.sequence).filter { $0 >= first })
            #expect(kept.last?.recordAfter == all.last?.recordAfter)
            let before = first.advanced(by: -1)
            let there = try before > .zero ? whole.get(Note.self, id, asOf: .sequence(before)) : nil
            #expect((kept.first?.kind == .kept) == (there != nil), "note \(id)")
            if let there, let entry = kept.first {
                #expect(try entry.after(as: Note.self) == there)
                #expect(entry.sequence == all.last { $0.sequence < first }?.sequence)
                #expect(entry.time == all.last { $0.sequence < first }?.time)
                #expect(entry.actor == nil && entry.recordBefore == nil)
            }
            // Of a record that was deleted below the floor nothing is known.
            if !kept.isEmpty {
                let values = try pruned.blame(of: Note.self, id).map(\.value)
                #expect(try values == whole.blame(of: Note.self, id).map(\.value))
            }
            for moment in Set([before, min(first, pruned.sequence), pruned.sequence]) {
                let right = try whole.get(Note.self, id, asOf: .sequence(moment))
                #expect(try pruned.get(Note.self, id, asOf: .sequence(moment)) == right)
            }
        }
        #expect(try pruned.history(of: Note.self, 99).isEmpty)
    }

    private func compareEvents() throws {
        let first = pruned.firstSequence
        let right = try Self.texts(whole.events(first...))
        #expect(try Self.texts(pruned.events()) == right)
        if first <= whole.sequence {
            #expect(try Self.texts(pruned.events(...whole.sequence)) == right)
        }
        let filter = EventFilter(actor: "ada")
        #expect(
            try Self.texts(pruned.events(where: filter))
                == Self.texts(whole.events(first..., where: filter)))
        // Some were deleted with all of their entity, perhaps after they were in the floor.
        for id in 0..<15 {
            let id = try RecordCoding.id("c\(id)", of: Counter.self)
            for filter in [EventFilter(ids: [id]), EventFilter(entity: "Counter", ids: [id])] {
                #expect(
                    try Self.texts(pruned.events(where: filter))
                        == Self.texts(whole.events(first..., where: filter)))
            }
        }
        if first > 1 {
            let store = pruned
            #expect(code { _ = try Array(store.events(1...)) } == .belowFloor)
            #expect(code { _ = try Array(store.events(...1)) } == .belowFloor)
            #expect(code { _ = try store.event(first.advanced(by: -1)) } == .belowFloor)
            #expect(code { _ = try store.undoPlan(of: .events(1...1)) } == .belowFloor)
            let filter = EventFilter(since: .distantPast)
            #expect(code { _ = try Array(store.events(where: filter)) } == .belowFloor)
            let named = EventFilter(actor: "ada")
            #expect(code { _ = try Array(store.events(1..., where: named)) } == .belowFloor)
        }
        #expect(keys(of: pruned) == keys(of: whole))
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        failure(as: StoreError.self) { try body() }?.code
    }

    /// The keys that a write now would be compared with.
    private func keys(of store: Store) -> [KeyedEvent] {
        let (keys, time) = (store.session.keys, store.snapshot.time)
        return keys.current.events.filter { $0.time >= keys.window.start(at: time) }
    }

    /// The events, with their changes in one order: that of a store depends on its hash seed.
    private static func texts(_ events: EventSequence) throws -> [String] {
        try Array(events).map { event in
            let changes = event.changes.map { "\($0)" }.sorted()
            return "\(event.sequence) \(event.time) \(event.metadata) \(changes)"
        }
    }

    func close() throws {
        try pruned.close()
        try whole.close()
    }
}

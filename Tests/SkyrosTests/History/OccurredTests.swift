import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Fact: Entity {
    var id: Int
    var value = 0
    var note: String?
}

@Suite(.long) struct `A state in the order in which things happened` {
    private let disk = SimulatedDisk()

    private func open(_ options: Store.Options = Store.Options()) throws -> Store {
        let store = try Store(on: disk, entities: Fact.self, options: options)
        store.maintenance.stop()
        return store
    }

    private func day(_ number: Int) -> Date {
        Date(timeIntervalSince1970: Double(number) * 86_400)
    }

    private func write(
        _ store: Store, on number: Int?, _ block: (inout WriteTransaction) throws -> Void
    ) throws {
        try store.write(metadata: Metadata(occurredAt: number.map { day($0) }), block)
    }

    @Test(arguments: [Store.Options.HistoryIndex.runs, .scan])
    func `applies a correction where it belongs, as soon as it is known`(
        index: Store.Options.HistoryIndex
    ) throws {
        var options = Store.Options()
        options.historyIndex = index
        let store = try open(options)
        try write(store, on: 10) { try $0.insert(Fact(id: 1, value: 100)) }
        try write(store, on: 30) { try $0.update(Fact.self, 1) { $0.note = "reviewed" } }
        try write(store, on: 20) { try $0.update(Fact.self, 1) { $0.value = 250 } }
        func value(_ number: Int, knownAt moment: Moment? = nil) throws -> Int? {
            let state = try store.snapshot(occurred: day(number), knownAt: moment)
            #expect(state.misfits.isEmpty)
            let fact = try store.get(Fact.self, 1, occurred: day(number), knownAt: moment)
            #expect(try state.snapshot.get(Fact.self, 1)?.value == fact?.value)
            return fact?.value
        }
        #expect(try value(9) == nil)
        #expect(try value(10) == 100)
        #expect(try value(19) == 100)
        #expect(try value(20) == 250)
        #expect(try value(40) == 250)
        #expect(try value(40, knownAt: .sequence(2)) == 100)
        #expect(try store.snapshot(occurred: day(25)).snapshot.get(Fact.self, 1)?.note == nil)
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try store.snapshot(occurred: day(25), knownAt: .sequence(4))
        }
        try store.close()
    }

    @Test func `lists the changes that do not fit in that order`() throws {
        let store = try open()
        try write(store, on: 20) { try $0.insert(Fact(id: 1, value: 1)) }
        try write(store, on: 10) { try $0.update(Fact.self, 1) { $0.value = 2 } }
        try write(store, on: 30) { try $0.delete(Fact.self, 1) }
        try write(store, on: 25) { try $0.insert(Fact(id: 1, value: 3)) }
        let found = try store.snapshot(occurred: day(40))
        #expect(found.misfits.map(\.kind) == [.missing, .exists, .differs])
        #expect(found.misfits.map(\.sequence) == [2, 4, 3])
        #expect(found.misfits[0].occurredAt == EventTime(day(10)))
        #expect(found.misfits[0].description.hasPrefix("event 2, which happened at 1970-01-11"))
        #expect(try found.snapshot.count(Fact.self) == 0)
        let earlier = try store.snapshot(occurred: day(26))
        #expect(earlier.misfits.map(\.kind) == [.missing, .exists])
        #expect(try earlier.snapshot.get(Fact.self, 1)?.value == 3)
        // An update of other values takes effect on its own fields.
        try write(store, on: 50) { try $0.insert(Fact(id: 2, value: 1, note: "a")) }
        try write(store, on: 52) { try $0.update(Fact.self, 2) { $0.value = 2 } }
        try write(store, on: 51) { try $0.update(Fact.self, 2) { $0.value = 3 } }
        let last = try store.snapshot(occurred: day(60))
        #expect(last.misfits.map(\.kind).suffix(2) == [.differs, .differs])
        let fact = try #require(try last.snapshot.get(Fact.self, 2))
        #expect(fact.value == 2 && fact.note == "a")
        try store.close()
    }

    @Test func `is a plain state of the past if the order is that of the log`() throws {
        let store = try open()
        for id in 0..<9 { try write(store, on: nil) { try $0.insert(Fact(id: id)) } }
        let times = try Array(store.events()).map(\.time)
        let plain = try store.snapshot(occurred: times[4].date)
        #expect(plain.misfits.isEmpty && plain.snapshot.sequence == 5)
        #expect(try plain.snapshot.digest() == store.snapshot(asOf: .sequence(5)).digest())
        #expect(try store.snapshot(occurred: Date(), knownAt: .sequence(3)).snapshot.sequence == 3)
        try store.close()
    }

    @Test func `is that of the log in an import`() throws {
        let store = try open()
        for id in 0..<9 { try write(store, on: id) { try $0.insert(Fact(id: id)) } }
        let found = try store.snapshot(occurred: day(4))
        #expect(found.snapshot.sequence == 5)
        #expect(try found.snapshot.digest() == store.snapshot(asOf: .sequence(5)).digest())
        try store.close()
    }

    @Test func `is none that a write can expect to be unchanged`() throws {
        let store = try open()
        try write(store, on: 20) { try $0.insert(Fact(id: 1)) }
        try write(store, on: 10) { try $0.insert(Fact(id: 2)) }
        let state = try store.snapshot(occurred: day(30)).snapshot
        #expect(throws: StoreError(.conflict, "")) {
            try store.write(expecting: .unchanged(Fact.self, id: 1, since: state)) { _ in }
        }
        try store.close()
    }

    /// Compares with a computation over plain dictionaries.
    @Test(arguments: 0..<UInt64(Extent.pick(brief: 2, quick: 6, deep: 200)))
    func `agrees with a computation on values`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try open()
        for _ in 0..<60 {
            let (happened, id) = (random.below(50), random.below(4))
            let value = random.below(5) == 0 ? nil : random.below(100)
            try write(store, on: happened) { tx in
                if let value {
                    try tx.upsert(Fact(id: id, value: value))
                } else {
                    try tx.delete(Fact.self, id)
                }
            }
        }
        _ = try #require(store.session.history)
        _ = try store.makeRun()
        // A write that changes nothing leaves no event: deletions of what is not there.
        let events = try Array(store.events())
        for _ in 0..<20 {
            let (at, known) = (random.below(50), random.below(events.count + 1))
            let moment = Moment.sequence(SequenceNumber(rawValue: UInt64(known)))
            let state = try store.snapshot(occurred: day(at), knownAt: moment).snapshot
            let happened = events.prefix(known).filter { $0.happenedAt <= EventTime(day(at)) }
                .sorted { ($0.happenedAt, $0.sequence) < ($1.happenedAt, $1.sequence) }
            var right: [RecordID: FieldValue] = [:]
            for event in happened {
                for change in event.changes {
                    guard let id = change.id else { continue }
                    switch change {
                    case .inserted(let record): right[id] = record["value"]
                    case .updated(_, _, _, let after):
                        if right[id] != nil, let value = after["value"] { right[id] = value }
                    default: right[id] = nil
                    }
                }
            }
            for id in 0..<4 {
                let value = right[RecordID(id)]?.integer.map { Int($0) }
                #expect(try state.get(Fact.self, id)?.value == value)
                let single = try store.get(Fact.self, id, occurred: day(at), knownAt: moment)
                #expect(single?.value == value)
            }
        }
        try store.close()
    }

    @Test func `lists a deletion of all records that finds others`() throws {
        let store = try open()
        try write(store, on: 20) { tx in
            for id in 1...3 { try tx.insert(Fact(id: id)) }
        }
        try write(store, on: 10) { _ = try $0.deleteAll(Fact.self) }
        let found = try store.snapshot(occurred: day(40))
        #expect(found.misfits.map(\.kind) == [.differs] && found.misfits[0].id == nil)
        #expect(
            found.misfits[0].description.hasSuffix(
                "deletes all Fact, of which there are others then"))
        #expect(try found.snapshot.count(Fact.self) == 3)
        #expect(try store.get(Fact.self, 1, occurred: day(40)) != nil)
    }
    /// A store that ends a segment with each prune.
    private func openPrunable() throws -> Store {
        var options = Store.Options()
        options.sealThresholdBytes = 1
        return try open(options)
    }

    @Test func `before all that a pruned log keeps is that of its floor`() throws {
        let store = try openPrunable()
        try write(store, on: nil) { try $0.insert(Fact(id: 1)) }
        #expect(try store.prune(before: .distantFuture) != nil)
        // In another order than that of the log, in the centuries to come.
        try write(store, on: 90_000) { try $0.insert(Fact(id: 2)) }
        try write(store, on: 80_000) { try $0.insert(Fact(id: 3)) }
        let found = try store.snapshot(occurred: day(70_000)).snapshot
        #expect(found.sequence == 1)
        #expect(try found.all(Fact.self).map(\.id) == [1])
        #expect(try store.snapshot(occurred: day(85_000)).snapshot.sequence == 3)
        try store.close()
    }

    @Test func `is known after a prune of what happened before 1970`() throws {
        let store = try openPrunable()
        for number in [-7_000, -3_000, 4_000] {
            try write(store, on: number) { try $0.insert(Fact(id: number)) }
        }
        #expect(try store.prune(before: .distantFuture) != nil)
        try write(store, on: nil) { try $0.insert(Fact(id: 1)) }
        let found = try store.snapshot(occurred: day(70_000)).snapshot
        #expect(try found.count(Fact.self) == 4)
        try store.close()
    }
}

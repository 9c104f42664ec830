import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The key frames of a time machine` {
    private let disk = SimulatedDisk()

    /// Each event changes one of ten notes; `clearing` deletes all of them.
    private func store(events count: Int, clearing: Int? = nil) throws -> Store {
        let store = try Store(on: disk, entities: Note.self)
        for number in 1...count {
            try store.write { tx in
                if number == clearing {
                    try tx.deleteAll(Note.self)
                } else {
                    try tx.upsert(Note(id: number % 10, text: "\(number)"))
                }
            }
        }
        return store
    }

    private func past(of store: Store, spacing: UInt64) -> PastView {
        PastView(store.historyReader, stepsMax: 4, spacing: spacing, newest: { store.snapshot })
    }

    private func multiples(of spacing: UInt64, _ range: ClosedRange<UInt64>) -> [SequenceNumber] {
        range.filter { $0.isMultiple(of: spacing) }.map { SequenceNumber(rawValue: $0) }
    }

    @Test func `are states of the past`() throws {
        let store = try store(events: 200)
        let past = past(of: store, spacing: 16)
        past.frames.prepare()
        #expect(past.frames.waitUntilPrepared() == multiples(of: 16, 16...192))
        for target in multiples(of: 16, 16...192) {
            let frame = try #require(past.frames.bases(of: target, store.snapshot).first)
            let folded = try store.historyReader.snapshot(asOf: .sequence(target))
            #expect(try frame.sequence == target && frame.digest() == folded.digest())
            #expect(frame.chainHash == folded.chainHash && frame.time == folded.time)
        }
    }

    @Test func `are not prepared before the first use`() throws {
        let store = try store(events: 200)
        let past = past(of: store, spacing: 16)
        #expect(past.frames.waitUntilPrepared() == [])
        try past.move(to: 199)
        #expect(past.frames.waitUntilPrepared().count == 12)
    }

    @Test func `are chosen by the cost of the way`() throws {
        let store = try store(events: 200)
        let past = past(of: store, spacing: 32)
        past.frames.prepare()
        _ = past.frames.waitUntilPrepared()
        func bases(_ target: SequenceNumber) -> [SequenceNumber] {
            past.frames.bases(of: target, store.snapshot).map(\.sequence)
        }
        // Taking an event back costs twice as much as applying one.
        #expect(bases(100) == [96, 128] && bases(116) == [96, 128] && bases(118) == [128, 96])
        #expect(bases(10) == [32] && bases(128) == [128, 160])
        #expect(bases(199) == [200, 192] && bases(200) == [200])
    }

    @Test func `end at an event that cannot be taken back`() throws {
        let store = try store(events: 200, clearing: 150)
        let past = past(of: store, spacing: 16)
        past.frames.prepare()
        #expect(past.frames.waitUntilPrepared() == multiples(of: 16, 160...192))
        try past.move(to: 50)
        #expect(try past.snapshot.get(Note.self, 9)?.text == "49")
        #expect(past.frames.waitUntilPrepared() == multiples(of: 16, 16...192))
    }

    @Test func `stay around what is shown`() throws {
        let store = try store(events: 800)
        let past = past(of: store, spacing: 4)
        past.frames.prepare()
        #expect(past.frames.waitUntilPrepared() == multiples(of: 4, 292...800))
        try past.move(to: 1)
        #expect(past.frames.waitUntilPrepared() == multiples(of: 4, 4...512))
        try past.move(to: 401)
        let around = past.frames.waitUntilPrepared()
        #expect(around.count == 128 && around.first == 148 && around.last == 656)
    }

    @Test func `are not prepared any more after the end`() throws {
        let store = try store(events: 200)
        let past = past(of: store, spacing: 16)
        past.frames.stop()
        past.frames.prepare()
        #expect(past.frames.waitUntilPrepared() == [])
    }

    @Test func `are few if their events change much`() throws {
        let store = try Store(on: disk, entities: Note.self)
        for number in 1...200 {
            try store.write { tx in
                for id in 0..<2_000 { try tx.upsert(Note(id: id, text: "\(number)")) }
            }
        }
        // 100,500 records may be different in all frames, and 25,125 in one.
        let small = past(of: store, spacing: 4)
        small.frames.prepare()
        #expect(small.frames.waitUntilPrepared() == multiples(of: 4, 4...200))
        let large = past(of: store, spacing: 16)
        large.frames.prepare()
        #expect(large.frames.waitUntilPrepared() == [192])
    }
}

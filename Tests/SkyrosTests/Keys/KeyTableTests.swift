import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A table of idempotency keys` {
    private func event(_ key: String, _ sequence: UInt64, at time: Int64) -> KeyedEvent {
        KeyedEvent(
            key, nil, at: SequenceNumber(rawValue: sequence), EventTime(microseconds: time))
    }

    private func sequence(_ key: String, in table: KeyTable) -> SequenceNumber? {
        table[KeyedEvent.bytes(of: key)]?.sequence
    }

    @Test func `finds the newest event of a key`() {
        let table = KeyTable(
            [event("a", 2, at: 10), event("b", 5, at: 20), event("a", 9, at: 30)], after: .none)
        #expect(sequence("a", in: table) == 9)
        #expect(sequence("b", in: table) == 5)
        #expect(sequence("c", in: table) == nil)
        #expect(table.events(after: 2, through: 9).map(\.sequence) == [5, 9])
        #expect(table.events(after: 5, through: 8).isEmpty)
        #expect(table.events(after: 9, through: 3).isEmpty)
    }

    @Test func `drops the events before a time, and says which was the last`() {
        var table = KeyTable()
        #expect(table.bound.reaches(EventTime(microseconds: .min)))
        for index in 1...9 as ClosedRange<UInt64> {
            table.append(event("k\(index % 3)", index, at: Int64(index) * 10))
        }
        for index in 1...9 as ClosedRange<UInt64> {
            table.drop(before: EventTime(microseconds: Int64(index) * 10))
            #expect(table.events.map(\.sequence.rawValue) == Array(index...9))
            #expect(table.bound.sequence.rawValue == index - 1)
            for key in 0...2 as ClosedRange<UInt64> {
                let newest = (index...9).last { $0 % 3 == key }
                #expect(sequence("k\(key)", in: table)?.rawValue == newest)
            }
        }
        #expect(table.bound.reaches(EventTime(microseconds: 81)))
        #expect(!table.bound.reaches(EventTime(microseconds: 80)))
        table.drop(before: EventTime(microseconds: .max))
        #expect(table.events.isEmpty && sequence("k0", in: table) == nil)
        table.append(event("k0", 10, at: 100))
        #expect(sequence("k0", in: table) == 10)
    }

    @Test func `has a window that begins that long before an event`() {
        let window = KeyWindow(.milliseconds(2))
        #expect(window.start(at: EventTime(microseconds: 5_000)).microseconds == 3_000)
        let longest = KeyWindow(.seconds(Int64.max))
        #expect(longest.start(at: EventTime(microseconds: -5)).microseconds == .min)
        var table = KeyTable()
        window.note(event("a", 1, at: 0), in: &table)
        window.note(event("b", 2, at: 2_000), in: &table)
        #expect(sequence("a", in: table) == 1)
        window.note(event("c", 3, at: 2_001), in: &table)
        #expect(sequence("a", in: table) == nil)
    }

    @Test func `gives a checkpoint what that lacks`() {
        var table = KeyTable()
        for index in 1...6 as ClosedRange<UInt64> {
            table.append(event("k\(index)", index, at: Int64(index) * 1_000))
        }
        let keys = IdempotencyKeys(table, KeyWindow(.milliseconds(3)))
        func changes(
            through last: UInt64, since known: (KeyBound, SequenceNumber)?
        ) -> (events: [UInt64], bound: UInt64) {
            let changes = keys.changes(
                through: SequenceNumber(rawValue: last),
                at: EventTime(microseconds: Int64(last) * 1_000), since: known)
            return (changes.events.map(\.sequence.rawValue), changes.bound.sequence.rawValue)
        }
        #expect(changes(through: 4, since: nil) == ([1, 2, 3, 4], 0))
        #expect(changes(through: 4, since: (.none, 2)) == ([3, 4], 0))
        // One that was written with a shorter window lacks the oldest.
        let late = KeyBound(sequence: 2, time: EventTime(microseconds: 2_000))
        #expect(changes(through: 4, since: (late, 3)) == ([1, 2, 4], 0))
        #expect(changes(through: 6, since: (.none, 4)) == ([5, 6], 2))
        // The table has dropped all that a checkpoint of an earlier state would have.
        keys.note(
            try! IdempotencyKey("z"), nil,
            EventStamp(
                sequence: 7, time: EventTime(microseconds: 90_000),
                chainHash: ChainHash(rawValue: 0)))
        #expect(changes(through: 5, since: (.none, 4)) == ([], 5))
        #expect(changes(through: 7, since: (.none, 4)) == ([7], 6))
    }

    @Test func `has a digest that depends on every part of an event, and not on the order`() {
        let plain = event("a", 1, at: 10)
        let intent = Intent(name: "Do", encoded: [1])
        let variants = [
            plain, event("b", 1, at: 10), event("a", 2, at: 10), event("a", 1, at: 11),
            KeyedEvent("a", intent, at: 1, EventTime(microseconds: 10)),
            KeyedEvent("a", Intent(name: "D", encoded: [1]), at: 1, plain.time),
            KeyedEvent("a", Intent(name: "Do", encoded: [2]), at: 1, plain.time),
        ]
        let digests = variants.map { variant in
            var digest = RowsDigest()
            digest.add(variant.sum)
            return digest
        }
        #expect(Set(digests).count == variants.count)
        var (forward, backward) = (RowsDigest(), RowsDigest())
        for variant in variants { forward.add(variant.sum) }
        for variant in variants.reversed() { backward.add(variant.sum) }
        #expect(forward == backward && forward.count == variants.count)
        for variant in variants { forward.remove(variant.sum) }
        #expect(forward == RowsDigest())
    }
}

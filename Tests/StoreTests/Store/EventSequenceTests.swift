import Foundation
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A sequence of events` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Note.self)
        for id in 1...300 { try store.write { try $0.insert(Note(id: id, text: "\(id)")) } }
    }

    private func numbers(_ events: EventSequence) throws -> [UInt64] {
        try Array(events).map(\.sequence.rawValue)
    }

    @Test func `holds the events of any kind of range`() throws {
        #expect(try numbers(store.events(100...200)) == Array(100...200))
        #expect(try numbers(store.events(100..<103)) == [100, 101, 102])
        #expect(try numbers(store.events(299...)) == [299, 300])
        #expect(try numbers(store.events(...2)) == [1, 2])
        #expect(try numbers(store.events(..<3)) == [1, 2])
        #expect(try numbers(store.events()) == Array(1...300))
    }

    @Test func `leaves out numbers without an event`() throws {
        #expect(try numbers(store.events(0...2)) == [1, 2])
        #expect(try numbers(store.events(..<0)).isEmpty)
        #expect(try numbers(store.events(0...0)).isEmpty)
        #expect(try numbers(store.events(300...400)) == [300])
        #expect(try numbers(store.events(301...)).isEmpty)
        let last = SequenceNumber(rawValue: .max)
        #expect(try numbers(store.events(last...last)).isEmpty)
        #expect(try numbers(store.events(last...)).isEmpty)
        #expect(try numbers(store.events(299...last)) == [299, 300])
    }

    @Test func `can be iterated with await, and more than once`() async throws {
        let events = store.events(10...12)
        for _ in 1...2 {
            var seen: [UInt64] = []
            for try await event in events { seen.append(event.sequence.rawValue) }
            #expect(seen == [10, 11, 12])
        }
        let first = try await events.first { $0.sequence > 10 }
        #expect(first?.sequence == 11)
    }

    @Test func `does not grow with the store`() throws {
        let events = store.events(299...)
        try store.write { try $0.insert(Note(id: 301, text: "")) }
        #expect(try numbers(events) == [299, 300])
        #expect(try numbers(store.events(299...)) == [299, 300, 301])
    }

    /// An engine may store any number of events of any size in a chunk.
    @Test func `decodes at most a mebibyte of events at a time, or one event (F75)`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        for id in 1...6 {
            let text = String(repeating: "x", count: id == 4 ? 3 << 20 : 400 << 10)
            try store.write { try $0.insert(Note(id: id, text: text)) }
        }
        let log = OneChunk(log: store.log.engine)
        let reader = EventReader(log)
        var counts: [Int] = []
        var next: SequenceNumber = 1
        while next <= 6 {
            let events = try reader.part(from: next, through: 6)
            counts.append(events.count)
            next = next.advanced(by: events.count)
        }
        #expect(counts == [2, 1, 1, 2])
        let all = try Array(EventSequence(log, 1..., end: 6)).map(\.sequence.rawValue)
        #expect(all == Array(1...6))
        try store.close()
    }

    /// A log whose only chunk holds everything.
    private struct OneChunk: LogReader {
        let log: any LogReader
        var head: LogHead { log.head }

        func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
            var batches: [[UInt8]] = []
            guard let first = try log.chunk(containing: 1) else { return nil }
            var next: UInt64 = 1
            while let chunk = try log.chunk(containing: next) {
                _ = chunk.forEach(from: next) { _, bytes in
                    batches.append([UInt8](bytes))
                    return true
                }
                next = chunk.lastSequence + 1
            }
            return LogChunk(
                firstSequence: 1, chainHashBefore: first.chainHashBefore, batches: batches)
        }
    }

    @Test func `reads one part of the log at a time`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        // It would read the log for the index of the history.
        store.maintenance.stop()
        let text = String(repeating: "x", count: 1_000)
        for id in 1...1_000 { try store.write { try $0.insert(Note(id: id, text: text)) } }
        let before = disk.count(.read)
        var events = store.events().makeIterator()
        #expect(try events.next()?.sequence == 1)
        #expect(disk.count(.read) == before + 1)
        var count = 1
        while try events.next() != nil { count += 1 }
        #expect(count == 1_000)
        #expect(disk.count(.read) > before + 3)
    }

    @Test func `gives the events before damage in the log, then throws`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        let text = String(repeating: "x", count: 1_000)
        for id in 1...1_000 { try store.write { try $0.insert(Note(id: id, text: text)) } }
        let name = try #require(disk.contents.keys.first { $0.hasPrefix("events/") })
        var bytes = try #require(disk.contents[name])
        bytes[500_000] ^= 1
        disk.overwrite(name, with: bytes)
        var events = store.events().makeIterator()
        var count = 0
        let error = #expect(throws: StoreError.self) {
            while try events.next() != nil { count += 1 }
        }
        #expect(error?.code == .logCorrupt)
        #expect(count > 100 && count < 500)
    }
}

@Suite struct `A sequence number` {
    @Test func `is clamped where arithmetic would leave its range`() throws {
        let last = SequenceNumber(rawValue: .max)
        _ = try Store(inMemory: Note.self).changes(after: last)
        #expect(SequenceNumber(5).advanced(by: -9) == 0)
        #expect(SequenceNumber(5).advanced(by: 2) == 7)
        #expect(last.advanced(by: 1) == last)
        #expect(last.advanced(by: .min).rawValue == .max - UInt64(Int.max) - 1)
        #expect(SequenceNumber(5).distance(to: 7) == 2)
        #expect(SequenceNumber(7).distance(to: 5) == -2)
        #expect(SequenceNumber(0).distance(to: last) == .max)
        #expect(last.distance(to: 0) == -.max)
    }
}

import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private enum Versions {
    struct First: Entity {
        static let entityName = "Thing"
        var id: Int
        var name = "a"
    }

    struct Second: Entity {
        static let entityName = "Thing"
        var id: Int
        var name = "a"
        var color = "red"
        static let indexes: [Index<Second>] = [.on(\.color)]
        static let evolution: Evolution<Second> = [.version(2) { .add("color", "red") }]
    }
}

private struct Unknown: Entity {
    var id: Int
}

/// Counts what is read of a log.
private struct CountedLog: LogReader {
    let log: any LogReader
    let chunkCount = Locked(0)
    var head: LogHead { log.head }

    func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        chunkCount.withLock { $0 += 1 }
        return try log.chunk(containing: sequence)
    }
}

@Suite struct `A state of the past that is read as it is asked` {
    private let disk = SimulatedDisk()

    private func open(_ options: Store.Options = Store.Options()) throws -> Store {
        let store = try Store(on: disk, entities: Note.self, Counter.self, options: options)
        store.maintenance.stop()
        return store
    }

    /// A store whose first events are so far back that no state is made of the newest one.
    private func openFilled(_ options: Store.Options = Store.Options()) throws -> Store {
        let store = try open(options)
        for id in 0..<20 {
            try store.write { tx in
                try tx.insert(Note(id: id, text: "first"))
                try tx.insert(Counter(id: "c\(id)", value: id))
            }
        }
        for round in 0..<9 {
            for id in 0..<10 { try store.write { try $0.upsert(Note(id: id, text: "\(round)")) } }
            if options.historyIndex == .runs { _ = try store.makeRun() }
        }
        return store
    }

    private func code(_ body: () throws -> some Any) -> StoreError.Code? {
        failure(as: StoreError.self) { _ = try body() }?.code
    }

    @Test(arguments: [Store.Options.HistoryIndex.runs, .scan])
    func `gives the answers of the whole one`(index: Store.Options.HistoryIndex) throws {
        var options = Store.Options()
        options.historyIndex = index
        let store = try openFilled(options)
        for number in [0, 1, 19, 20, 27, 50, 105, 110] as [UInt64] {
            let moment = Moment.sequence(SequenceNumber(rawValue: number))
            let whole = try store.snapshot(asOf: moment)
            let past = try store.past(asOf: moment)
            #expect(past.sequence == whole.sequence)
            for id in 0..<21 {
                #expect(try past.get(Note.self, id) == whole.get(Note.self, id))
                #expect(try past.exists(Counter.self, "c\(id)") == (id < number && id < 20))
                let value = try past.withValue(of: Counter.self, "c\(id)") { $0.value }
                #expect(try value == whole.get(Counter.self, "c\(id)")?.value)
            }
            let ids = [3, 200, 1]
            #expect(try past.get(Note.self, ids) == whole.get(Note.self, ids))
            let byText: [Sort<Note>] = [.ascending(\.text), .descending(\.id)]
            #expect(
                try past.all(Note.self, where: \.text != "3", sortedBy: byText)
                    == whole.all(Note.self, where: \.text != "3", sortedBy: byText))
            #expect(try past.count(Note.self) == whole.count("Note"))
            let sum = try past.sum(Counter.self, of: \.value)
            #expect(try sum == whole.sum(Counter.self, of: \.value))
            // By the table now.
            for id in 0..<21 {
                #expect(try past.get(Note.self, id) == whole.get(Note.self, id))
            }
            #expect(try past.records("Counter") == whole.records("Counter"))
            #expect(try past.snapshot.digest() == whole.digest())
            #expect(try past.get(Note.self, 3) == whole.get(Note.self, 3))
        }
        try store.close()
    }

    @Test func `costs a frame for a record, and nothing before`() throws {
        let store = try openFilled()
        let index = try #require(store.session.history)
        let past = try store.past(asOf: .sequence(25))
        #expect(index.cache.missCount == 0)
        #expect(try past.get(Note.self, 4)?.text == "0")
        #expect(index.cache.missCount == 1)
        #expect(try past.get(Note.self, 4)?.text == "0")
        #expect(index.cache.missCount == 1)
        try store.close()
    }

    @Test func `keeps a table that was asked for, and shares rows with the newest`() throws {
        let store = try openFilled()
        let past = try store.past(asOf: .sequence(25))
        let part = try past.state(of: Note.self).snapshot
        let again = try past.state(of: Note.self).snapshot
        let (rows, others) = (part.tables[0].sortedRows(), again.tables[0].sortedRows())
        #expect(zip(rows, others).allSatisfy { $0 === $1 })
        let newest = store.snapshot.tables[0].sortedRows()
        #expect(zip(rows, newest).filter { $0 === $1 }.count == 10)
        #expect(Set(rows.map(\.number)).count == rows.count)
        #expect(part.count("Note") == 20 && part.count("Counter") == 0)
        #expect(part.sequence == 25)
        #expect(try store.event(25)?.time == part.time)
        // The whole one replaces it.
        let whole = try past.snapshot
        #expect(try past.state(of: Note.self).snapshot.count("Counter") == 20)
        #expect(whole.chainHash == part.chainHash)
        let isKept = try past.snapshot.tables[0].sortedRows()[0] === whole.tables[0].sortedRows()[0]
        #expect(isKept)
        try store.close()
    }

    @Test func `reads nothing of other types, and passes over a damaged run`() throws {
        let store = try openFilled()
        try store.close()
        let name = try #require(disk.list(.history).min())
        let path = "history/\(name)"
        let bytes = try #require(disk.contents[path])
        for offset in stride(from: 0, to: bytes.count, by: 7) {
            var damaged = bytes
            damaged[offset] ^= 1
            disk.overwrite(path, with: damaged)
            let store = try open()
            let past = try store.past(asOf: .sequence(21))
            let notes = try past.all(Note.self, sortedBy: \.id)
            #expect(notes.map(\.id) == Array(0..<20))
            #expect(notes.map(\.text) == ["0"] + [String](repeating: "first", count: 19))
            #expect(try past.count(Counter.self) == 20)
            try store.close()
            disk.overwrite(path, with: bytes)
        }
        #expect(try disk.list(.quarantine).count > bytes.count / 7 / 2)
    }

    @Test func `reads the frames of one type only`() throws {
        var store = try open()
        try store.write { tx in
            try tx.insert((0..<20).map { Counter(id: "c\($0)", value: $0) })
            try tx.insert((0..<900).map { Note(id: $0, text: "note \($0 * 7_919 % 1_000)") })
        }
        _ = try store.makeRun()
        // Taking these back would cost more.
        for value in 0..<200 { try store.write { try $0.upsert(Counter(id: "d", value: value)) } }
        try store.close()
        let path = "history/\(try #require(disk.list(.history).first))"
        var bytes = try #require(disk.contents[path])
        bytes[bytes.count / 2] ^= 1
        disk.overwrite(path, with: bytes)
        store = try open()
        let past = try store.past(asOf: .sequence(1))
        #expect(try past.count(Counter.self) == 20)
        #expect(try disk.list(.quarantine).isEmpty)
        #expect(try past.count(Note.self) == 900)
        #expect(try disk.list(.quarantine).count == 1)
        try store.close()
    }

    @Test func `begins anew after a clearing`() throws {
        let store = try openFilled()
        try store.write { try $0.deleteAll(Note.self) }
        try store.write { try $0.insert(Note(id: 3, text: "new")) }
        _ = try store.makeRun()
        for _ in 0..<200 { try store.write { try $0.upsert(Counter(id: "d", value: 1)) } }
        for (number, count) in [(110, 20), (111, 0), (112, 1), (113, 1)] as [(UInt64, Int)] {
            let past = try store.past(asOf: .sequence(SequenceNumber(rawValue: number)))
            #expect(try past.all(Note.self).count == count, "\(number)")
        }
        try store.close()
    }

    @Test func `has the shapes of then, evolved`() throws {
        let home = try VersionedHome(.disk)
        try home.write(as: Versions.First.self) { tx in
            try tx.insert((0..<5).map { Versions.First(id: $0) })
        }
        let store = try home.open(Versions.Second.self)
        for _ in 0..<10 {
            try store.write { try $0.upsert(Versions.Second(id: 1, color: "blue")) }
        }
        _ = try store.makeRun()
        let past = try store.past(asOf: .sequence(2))
        #expect(try past.get(Versions.Second.self, 1)?.color == "blue")
        #expect(try past.get(Versions.Second.self, 2)?.color == "red")
        #expect(try past.all(Versions.Second.self, where: \.color == "red").count == 4)
        let first = try store.past(asOf: .sequence(1))
        #expect(try first.count(Versions.Second.self, where: \.color == "red") == 5)
        let part = try past.state(of: Versions.Second.self).snapshot
        let whole = try store.snapshot(asOf: .sequence(2))
        #expect(part.recordedSchemas == whole.recordedSchemas)
        try store.close()

        // Without the types.
        let archive = try Archive(at: home.directory.store)
        for (sequence, color) in [(1, nil), (2, "red")] as [(SequenceNumber, String?)] {
            let state = try archive.state(
                ofFirst: [RecordID("x"), RecordID(2)], "Thing", asOf: .sequence(sequence))
            let stored = try #require(state)
            #expect(stored.sequence == sequence && stored.recordCount == 1)
            let record = try EvolvedState(stored).state.record("Thing", RecordID(2))
            #expect(record?["color"] == color.map { .text($0) })
        }
        let none = try archive.state(ofFirst: [RecordID(9)], "Thing", asOf: .sequence(2))
        #expect(none == nil)
    }

    @Test func `says what it cannot answer`() throws {
        var options = Store.Options()
        options.segmentBytesMax = 2_000
        let store = try openFilled(options)
        #expect(code { try store.past(asOf: .sequence(111)) } == .noSuchEvent)
        let past = try store.past(asOf: .sequence(25))
        #expect(code { try past.get(Unknown.self, 1) } == .unknownEntity)
        #expect(code { try past.all(Unknown.self) } == .unknownEntity)
        #expect(try past.get(Note.self, 1)?.text == "0")
        let counters = try past.all(Counter.self).count
        let time = try #require(try store.event(100)).time
        _ = try #require(try store.prune(before: time.date))
        #expect(store.firstSequence > 26)
        #expect(code { try past.get(Note.self, 1) } == .belowFloor)
        #expect(code { try past.all(Note.self) } == .belowFloor)
        #expect(code { try store.past(asOf: .sequence(25)) } == .belowFloor)
        // Also if the floor comes while it is asked.
        let index = try #require(store.session.history)
        let (key, notes) = (HistoryKey("Note", RecordID(1)), store.snapshot.tables[0])
        #expect(code { try index.table(notes, through: 25) } == .belowFloor)
        #expect(code { try index.newestVersions(of: key, through: 25) } == .belowFloor)
        #expect(code { try store.historyReader.schemas(asOf: 25, in: index) } == .belowFloor)
        // What it has kept stays.
        #expect(try past.all(Counter.self).count == counters)
        let kept = try store.past(asOf: .sequence(store.firstSequence))
        #expect(try kept.count(Note.self) == 20)
        #expect(try kept.count(Counter.self) == 20)
        let unread = try store.past(asOf: .sequence(store.firstSequence))
        try store.nuke()
        #expect(try kept.count(Note.self) == 20)
        #expect(code { try unread.get(Note.self, 1) } == .erased)
        #expect(code { try unread.all(Note.self) } == .erased)
        try store.close()
    }

    @Test func `of a log that is damaged later on is left to a replay`() throws {
        var options = Store.Options()
        options.segmentBytesMax = 1_500
        options.sealThresholdBytes = 300
        let store = try openFilled(options)
        try store.run(.seal)
        let time = try #require(try store.event(25)).time
        try store.close()
        let segments = try disk.list(.events).filter { $0.hasSuffix(".zst") }.sorted()
        let environment = Environment(disk: disk)
        var answers = 0
        for name in segments.dropFirst(2) {
            let path = "events/\(name)"
            let bytes = try #require(disk.contents[path])
            var damaged = bytes
            damaged[bytes.count / 3] ^= 1
            disk.overwrite(path, with: damaged)
            let archive = try Archive.reading(asOf: .date(time.date), on: environment)
            let state = try archive.state(ofFirst: [RecordID(1)], "Note", asOf: .date(time.date))
            if let state {
                answers += 1
                #expect(try state.record("Note", RecordID(1))?["text"] == "0")
            }
            disk.overwrite(path, with: bytes)
        }
        #expect(segments.count > 4 && answers < segments.count - 2)
        let whole = try Archive(on: environment)
        let state = try whole.state(ofFirst: [RecordID(1)], "Note", asOf: .date(time.date))
        #expect(state?.sequence == 25)
    }

    @Test func `reads an event once, however many large records it has made`() throws {
        let store = try open()
        let text = String(repeating: "x", count: 2_000)
        // Neighbouring records belong to two events, and only the log has their images.
        for first in 0..<2 {
            try store.write { tx in
                for id in stride(from: first, to: 60, by: 2) {
                    try tx.insert(Note(id: id, text: text))
                }
            }
        }
        #expect(try store.makeRun())
        let index = try #require(store.session.history)
        let runs = index.current().parts.compactMap { part in
            if case .run(let run) = part { run } else { nil }
        }
        let run = try #require(runs.first)
        func readCount(_ body: (CountedLog) throws -> Void) rethrows -> Int {
            let log = CountedLog(log: store.session.engine)
            try body(log)
            return log.chunkCount.withLock { $0 }
        }
        let (empty, newest) = (store.session.empty, store.snapshot)
        let table = try readCount { log in
            var table = PastTable(newest.tables[0], through: 2, after: nil, EventReader(log))
            try table.append(run)
            let rows = try table.finish().sortedRows()
            #expect(rows.map(\.bytes) == newest.tables[0].sortedRows().map(\.bytes))
        }
        #expect(table == 2)
        // These find the records in the first of the events before.
        let difference = try readCount { log in
            let list = try HistoryReader(log: log, empty: empty).differences(
                from: 0, to: 1, in: nil, index, costOfStates: 1e9)
            #expect(list?.count == 30)
        }
        #expect(difference == 2)
        let undo = try readCount { log in
            let reader = HistoryReader(log: log, empty: empty)
            let past = try UndoReader(reader: reader, index: index, newest: newest).past([1...1])
            #expect(past.records.count == 30)
        }
        #expect(undo == 2)
        try store.close()
    }

    @Test func `is the newest one if nothing came after it`() throws {
        let store = try openFilled()
        let past = try store.past(asOf: .date(.distantFuture))
        #expect(past.sequence == store.sequence)
        #expect(try past.get(Note.self, 3)?.text == "8")
        try store.write { try $0.delete(Note.self, 3) }
        #expect(try past.get(Note.self, 3)?.text == "8")
        try store.close()
        #expect(try past.get(Note.self, 3)?.text == "8")
    }
}

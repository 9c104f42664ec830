import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Leaf: Entity {
    var id: Int
    var board = 0
    var note: String?
}

/// A record that is larger than what a run holds whole with each version.
private struct Document: Entity {
    var id: String
    var title = ""
    var text = ""
    var page: Int?
}

private struct Move: DomainCommand {
    var text: String
}

/// Writes events at random, of all kinds, to few records.
private struct RandomHistory {
    let store: Store
    var random: RandomSource

    mutating func write() throws {
        let size = random.below(8) == 0 ? 400 : random.below(30)
        let intent = random.below(3) == 0 ? Move(text: String(repeating: "m", count: size)) : nil
        let metadata = Metadata(tags: random.below(4) == 0 ? ["k": "v\(random.below(3))"] : [:])
        let actor = random.below(2) == 0 ? "ada" : nil
        try store.write(by: actor, because: "r", metadata: metadata, intent: intent) { tx in
            for _ in 0...random.below(4) { try change(&tx) }
        }
    }

    private mutating func change(_ tx: inout WriteTransaction) throws {
        let id = random.below(12)
        switch random.below(40) {
        case 0: try tx.deleteAll(Leaf.self)
        case 1: try tx.deleteAll(Document.self)
        case 2..<8: try tx.delete(Leaf.self, id)
        case 8..<11: try tx.delete(Document.self, "d\(id)")
        case 11..<28:
            let note = random.below(3) == 0 ? nil : random.text()
            try tx.upsert(Leaf(id: id, board: random.below(4), note: note))
        default:
            var document = try tx.get(Document.self, "d\(id)") ?? Document(id: "d\(id)")
            switch random.below(4) {
            case 0: document.text = String(repeating: random.text() + "-", count: 200)
            case 1: document.page = random.below(2) == 0 ? nil : random.below(9)
            default: document.title = random.text()
            }
            try tx.upsert(document)
        }
    }
}

@Suite(.long) struct `The index of the history` {
    private let disk = SimulatedDisk()

    private func open() throws -> Store {
        let store = try Store(on: disk, entities: Leaf.self, Document.self)
        store.maintenance.stop()
        return store
    }

    private var ids: [(String, RecordID)] {
        (0..<13).flatMap { [("Leaf", RecordID($0)), ("Document", RecordID("d\($0)"))] }
    }

    /// Compares the answers of the index with those of the whole log.
    private func check(_ store: Store, _ random: inout RandomSource) throws {
        let index = try #require(store.session.history)
        let reader = store.historyReader
        for (entity, id) in ids {
            let scanned = try reader.history(of: entity, id)
            #expect(try reader.history(of: entity, id, in: index) == scanned, "\(entity) \(id)")
        }
        for _ in 0..<4 {
            let number = UInt64(random.below(Int(store.sequence.rawValue) + 1))
            let moment = SequenceNumber(rawValue: number)
            let state = try reader.snapshot(asOf: .sequence(moment))
            for (entity, id) in ids {
                let row = try reader.row(of: entity, id, asOf: moment, in: index)
                let right = state.table(entity)?.row(id)
                #expect(row?.bytes == right?.bytes, "\(entity) \(id) as of \(moment)")
                #expect(row?.version == right?.version)
            }
            try checkTables(store, asOf: moment, state)
        }
    }

    private func checkTables(
        _ store: Store, asOf moment: SequenceNumber, _ state: Snapshot
    ) throws {
        let index = try #require(store.session.history)
        let newest = store.snapshot
        for table in newest.tables.indices {
            let part = try store.historyReader.part(
                newest, ofTableAt: table, asOf: moment, in: index)
            let (rows, right) = (
                part.tables[table].sortedRows(), state.tables[table].sortedRows()
            )
            let isSame = rows.elementsEqual(right) {
                $0.id == $1.id && $0.version == $1.version && $0.bytes == $1.bytes
            }
            #expect(isSame, "\(newest.tables[table].entity) as of \(moment)")
            #expect(Set(rows.map(\.number)).count == rows.count)
            #expect(part.chainHash == state.chainHash && part.time == state.time)
        }
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 8, deep: 400)))
    func `answers as the log does, whatever has a run`(seed: UInt64) throws {
        var store = try open()
        var history = RandomHistory(store: store, random: RandomSource(seed: seed))
        var random = RandomSource(seed: seed + 1_000)
        for _ in 0..<30 {
            for _ in 0..<random.below(20) { try history.write() }
            let index = try #require(store.session.history)
            switch random.below(10) {
            case 0..<6:
                _ = try store.makeRun()
                while try index.mergeNext() {}
            case 6:
                let names = try disk.list(.history)
                if let name = names.randomElement(using: &random) {
                    try disk.remove(DiskPath(.history, name))
                    index.reload()
                }
            case 7:
                try store.close()
                store = try open()
                history = RandomHistory(store: store, random: history.random)
            default: try check(store, &random)
            }
        }
        try check(store, &random)
        try store.close()
        #expect(try Archive(on: Environment(disk: disk)).verify().problems == [])
    }

    @Test func `reads a frame of each run that may have the record, and none of the others`() throws
    {
        let store = try open()
        let index = try #require(store.session.history)
        for round in 0..<3 {
            for id in 0..<300 {
                try store.write { try $0.upsert(Leaf(id: id, board: round, note: "note \(id)")) }
            }
            let isMade = try store.makeRun()
            #expect(isMade)
        }
        for id in 1_000..<1_100 { try store.write { try $0.upsert(Leaf(id: id)) } }
        #expect(try store.history(of: Leaf.self, 7).map(\.sequence) == [8, 308, 608])
        #expect(index.cache.missCount == 3)
        #expect(try store.history(of: Leaf.self, 7).count == 3)
        #expect(index.cache.missCount == 3)
        #expect(try store.history(of: Leaf.self, 1_007).count == 1)
        #expect(try store.history(of: Leaf.self, 5_000).isEmpty)
        #expect(index.cache.missCount <= 4)
        try store.close()
    }

    @Test func `gives one record as of a moment`() throws {
        let store = try open()
        for board in 1...9 { try store.write { try $0.upsert(Leaf(id: 1, board: board)) } }
        try store.write { try $0.delete(Leaf.self, 1) }
        for board in 0...10 {
            let moment = Moment.sequence(SequenceNumber(rawValue: UInt64(board)))
            let leaf = try store.get(Leaf.self, 1, asOf: moment)
            #expect(leaf?.board == ((1...9).contains(board) ? board : nil))
        }
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try store.get(Leaf.self, 1, asOf: .sequence(11))
        }
        try store.close()
    }

    @Test func `says which event gave each field its value`() throws {
        let store = try open()
        try store.write(by: "a") { try $0.insert(Leaf(id: 1, board: 1, note: "x")) }
        try store.write(by: "b") { try $0.update(Leaf.self, 1) { $0.board = 2 } }
        try store.write(by: "c") { try $0.update(Leaf.self, 1) { $0.note = nil } }
        func blame() throws -> [String] {
            try store.blame(of: Leaf.self, 1).map { "\($0.field) \($0.entry.actor ?? "-")" }
        }
        #expect(try blame() == ["id a", "board b"])
        try store.write(by: "f") { try $0.update(Leaf.self, 1) { $0.note = "y" } }
        try store.write(by: "d") { try $0.delete(Leaf.self, 1) }
        #expect(try blame() == ["id a", "note f", "board b"])
        try store.write(by: "e") { try $0.insert(Leaf(id: 1, board: 2)) }
        #expect(try blame() == ["id e", "board e"])
        #expect(try store.blame(of: Leaf.self, 2).isEmpty)
        _ = try store.makeRun()
        #expect(try blame() == ["id e", "board e"])
        try store.close()
    }

    @Test func `has the whole record before and after each change`() throws {
        let store = try open()
        try store.write { try $0.insert(Leaf(id: 1, board: 1)) }
        try store.write { try $0.update(Leaf.self, 1) { $0.board = 2 } }
        try store.write { try $0.deleteAll(Leaf.self) }
        for _ in 0..<2 {
            let history = try store.history(of: Leaf.self, 1)
            #expect(try history.map { try $0.before(as: Leaf.self)?.board } == [nil, 1, 2])
            #expect(try history.map { try $0.after(as: Leaf.self)?.board } == [1, 2, nil])
            #expect(history.last?.recordBefore?["board"] == 2)
            let error = failure(as: StoreError.self) {
                _ = try history[1].after(as: Document.self)
            }
            #expect(error?.code == .invalidInput)
            _ = try store.makeRun()
        }
        try store.close()
    }

    @Test func `is made again after each file of it was damaged (F77)`() throws {
        var store = try open()
        for round in 0..<2 {
            for id in 0..<50 { try store.write { try $0.upsert(Leaf(id: id, board: round)) } }
            _ = try store.makeRun()
        }
        try store.close()
        let names = try disk.list(.history)
        #expect(names.count == 2)
        let right = disk.contents
        for name in names {
            let path = "history/\(name)"
            let bytes = try #require(right[path])
            for offset in stride(from: 0, to: bytes.count, by: 37) {
                var damaged = bytes
                damaged[offset] ^= 1
                disk.overwrite(path, with: damaged)
                store = try open()
                #expect(try store.history(of: Leaf.self, 7).map(\.sequence) == [8, 58])
                let index = try #require(store.session.history)
                // Damage of frames without this record is found when they are read.
                if try store.snapshot(asOf: .sequence(1)).count(Leaf.self) == 1 {
                    for id in 0..<50 {
                        #expect(try store.history(of: Leaf.self, id).count == 2)
                    }
                }
                while try store.makeRun() {}
                #expect(try store.history(of: Leaf.self, 7).map(\.sequence) == [8, 58])
                #expect(index.current().parts.count == 2)
                try store.close()
            }
            let quarantined = try disk.list(.quarantine).count { $0.hasPrefix(name) }
            // The seek table has hashes of the content, which zstd's own make superfluous.
            #expect(quarantined > bytes.count / 37 / 2, "\(quarantined) of \(bytes.count / 37)")
        }
    }

    @Test func `is of this log, or is set aside (F77)`() throws {
        let other = SimulatedDisk()
        for (disk, board) in [(disk, 1), (other, 2)] {
            let store = try Store(on: disk, entities: Leaf.self, Document.self)
            store.maintenance.stop()
            for id in 0..<9 { try store.write { try $0.insert(Leaf(id: id, board: board)) } }
            _ = try store.makeRun()
            try store.close()
        }
        let name = try #require(disk.list(.history).first)
        disk.overwrite("history/\(name)", with: try #require(other.contents["history/\(name)"]))
        let store = try open()
        #expect(try store.history(of: Leaf.self, 3).count == 1)
        #expect(try disk.list(.quarantine) == [name])
        #expect(try disk.list(.history).isEmpty)
        try store.close()
    }

    @Test(arguments: [RecordID(3), RecordID("entity:Leaf")])
    func `is named by a verification if it lacks a change, or a label`(id: RecordID) throws {
        let store = try open()
        for id in 0..<9 { try store.write { try $0.insert(Leaf(id: id)) } }
        _ = try store.makeRun()
        let index = try #require(store.session.history)
        guard case .run(let run) = index.current().parts[0] else { throw CancellationError() }
        let archive = try Archive(on: Environment(disk: disk))
        #expect(archive.verify().problems == [])
        var writer = try RunWriter(run.header, on: disk)
        try run.forEachItem { item, _ in
            if item.historyKey.id != id {
                try writer.append(item.historyKey, item.versions)
            }
        }
        _ = try writer.finish()
        let problems = archive.verify().problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains("does not have the changes that the log has") == true)
        try store.close()
    }

    @Test func `says that the metadata of a version cannot be read`() throws {
        let store = try open()
        let fields = try CBOREncoder().encode(Leaf(id: 1))
        // A map with an actor that is not UTF-8.
        let about: [UInt8] = [0xA1, 0x65] + Array("actor".utf8) + [0x61, 0xFF]
        let version = RecordVersion(
            kind: .inserted, sequence: 1, time: .zero, shape: 1, image: .record(fields),
            about: about)
        let key = HistoryKey("Leaf", RecordID(1))
        var builder = HistoryBuilder(key, LoggedVersions(EventReader(store.session.engine)))
        let error = failure(as: StoreError.self) { try builder.append(version) }
        #expect(error?.code == .invalidEvent)
        #expect(error?.message.contains("metadata of event 1") ?? false)
        try store.close()
    }

    @Test func `is removed where the log is asked in its place`() throws {
        var store = try open()
        for board in 1...3 { try store.write { try $0.upsert(Leaf(id: 1, board: board)) } }
        _ = try store.makeRun()
        try store.close()
        #expect(try disk.list(.history).count == 1)
        var options = Store.Options()
        options.historyIndex = .scan
        store = try Store(
            on: disk, entities: Leaf.self, Document.self, options: options)
        // Nothing would remove from it what is pruned.
        #expect(try disk.list(.history).isEmpty)
        #expect(try store.history(of: Leaf.self, 1).count == 3)
        try store.close()
    }

    @Test func `changes no file after the store was closed`() throws {
        let store = try open()
        for id in 0..<9 { try store.write { try $0.insert(Leaf(id: id)) } }
        try store.close()
        let next = try open()
        try next.write { try $0.insert(Leaf(id: 9)) }
        _ = try next.makeRun()
        let names = try disk.list(.history)
        // The run covers an event that the closed store does not know.
        #expect(try store.history(of: Leaf.self, 3).count == 1)
        #expect(try !store.makeRun())
        #expect(try disk.list(.history) == names)
        #expect(try disk.list(.quarantine).isEmpty)
        try next.close()
    }

    @Test func `keeps the order of changes of one record in one event`() throws {
        let large = String(repeating: "x", count: 3_000)
        let key = HistoryKey("Document", RecordID("a"))
        func record(_ title: String) throws -> Record {
            let document = Document(id: "a", title: title, text: large)
            return Record(
                entity: "Document", id: RecordID("a"),
                fields: Fields(trusted: try CBOREncoder().encode(document)))
        }
        let store = try open()
        try store.write { try $0.insert(Document(id: "a", title: "one", text: large)) }
        let event = Event(
            sequence: 2, time: EventTime(microseconds: .max / 2), metadata: Metadata(),
            intent: nil, changes: [.deleted(try record("one")), .inserted(try record("two"))])
        var writer = CBORWriter()
        try EventCoding.append(event, to: &writer)
        try writer.withUnsafeBytes { bytes in
            _ = try store.session.engine.append(
                bytes, as: 2, timeBefore: event.time.microseconds - 1, deferring: false)
        }
        try store.close()
        let archive = try Archive(on: Environment(disk: disk))
        try archive.indexHistory()
        let history = try archive.history(of: "Document", RecordID("a"))
        #expect(history.map(\.kind) == [.inserted, .deleted, .inserted])
        #expect(history.map { $0.recordAfter?["title"] } == ["one", nil, "two"])
        let index = try #require(archive.historyIndex)
        let row = try archive.historyReader.row(of: "Document", RecordID("a"), asOf: 2, in: index)
        #expect(row?.record["title"] == "two")
        #expect(try index.versions(of: key, through: 2).map(\.place) == [0, 0, 1])
        #expect(archive.verify().problems == [])
    }

    @Test func `has neighbours merged that are not larger than the others together`() {
        func next(_ sizes: [Int]) -> Range<Int>? {
            RunPlan.next(in: sizes.map { RunPlan.Run(logByteCount: $0 << 20) }, timeSpanMax: nil)
        }
        #expect(next([Int](repeating: 1, count: 7)) == nil)
        #expect(next([Int](repeating: 1, count: 8)) == 0..<8)
        #expect(next([60, 8, 8, 8, 8, 8, 8, 8]) == 0..<8)
        #expect(next([100, 1, 1, 1, 1, 1, 1, 1]) == nil)
        #expect(next([16, 1, 16, 1, 16, 1, 16, 1, 16, 1]) == 2..<10)
        #expect(RunPlan.level(logByteCount: .max) == 14)
    }
}

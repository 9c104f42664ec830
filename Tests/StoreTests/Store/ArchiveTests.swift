import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros

@Suite struct `An archive` {
    private let directory: TemporaryDirectory
    private let archive: Archive

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Note.self)
        for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "v\(id)")) } }
        try store.close()
        archive = try Archive(at: directory.store)
    }

    @Test func `describes the store`() throws {
        let info = try archive.info()
        #expect(info.entities == ["Note": 3])
        #expect(info.sequence == 3)
        #expect(info.checkpointSequence == 3)
        #expect(info.segmentCount == 1 && info.sealedSegmentCount == 0)
        #expect(info.firstTime == (try archive.event(1)).map(\.time))
        #expect(try #require(info.firstTime) < #require(info.lastTime))
        #expect(info.openingMilliseconds >= 0)
        #expect(info.rawBytes > 0 && info.logBytes > 0)
    }

    @Test func `writes any past state as a database, and overwrites no file`() throws {
        let file = directory.url.appending(path: "then.sqlite")
        #expect(try archive.writeCheckpoint(asOf: .sequence(2), to: file).count("Note") == 2)
        let texts = try Shell.lines("sqlite3", "-readonly", file.path, "SELECT text FROM Note")
        #expect(texts == ["v1", "v2"])
        #expect(throws: StoreError(.invalidInput, "")) { try archive.writeCheckpoint(to: file) }
    }

    @Test func `rebuilds an unreadable checkpoint, but not of an open store`() throws {
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        try Data("rubbish".utf8).write(to: checkpoint)
        let digest = try archive.rebuildCheckpoint().digest()
        let store = try Store(at: directory.store, entities: Note.self)
        #expect(store.recovery.checkpoint == .loaded(3))
        #expect(try store.snapshot.digest() == digest)
        #expect(throws: StoreError(.alreadyOpen, "")) { try archive.rebuildCheckpoint() }
        try store.close()
    }

    @Test func `describes a store whose checkpoint is ahead of the log`() throws {
        let events = directory.store.appending(path: "events")
        let segment = try #require(
            FileManager.default.contentsOfDirectory(atPath: events.path).first)
        let file = try FileHandle(forUpdating: events.appending(path: segment))
        // Keeps the header and no event.
        try file.truncate(atOffset: 96)
        try file.close()
        let info = try Archive(at: directory.store).info()
        #expect(info.sequence == 0 && info.checkpointSequence == 3)
    }

    @Test func `gives the history of a record without its type`() throws {
        let history = try archive.history(of: "Note", RecordID(2))
        #expect(history.map(\.kind) == [.inserted])
        #expect(history.map(\.sequence) == [2])
        #expect(try history.first?.changes.map(\.field) == ["id", "text"])
        #expect(try archive.history(of: "Nothing", RecordID(2)).isEmpty)
    }

    @Test func `replays each state, until the closure returns false or the given event`() throws {
        var seen: [String] = []
        try archive.replay { event, state in
            seen.append("\(event.sequence): \(state.count("Note"))")
            return event.sequence < 2
        }
        #expect(seen == ["1: 1", "2: 2"])
        var last = SequenceNumber.zero
        try archive.replay(through: 2) { event, state in
            #expect(event.sequence == state.sequence)
            last = event.sequence
            return true
        }
        #expect(last == 2)
    }

    @Test func `sees new events after a refresh`() throws {
        #expect(try !archive.refresh())
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 4, text: "v4")) }
        #expect(archive.sequence == 3)
        #expect(try archive.event(4) == nil)
        #expect(try archive.refresh())
        #expect(archive.sequence == 4)
        #expect(try archive.snapshot().get(Note.self, 4)?.text == "v4")
        try store.close()
    }

    @Test func `refuses the store that nuke has begun, and stays as it was`() throws {
        let store = try Store(at: directory.store, entities: Note.self)
        try store.nuke()
        for id in 4...8 { try store.write { try $0.insert(Note(id: id, text: "v\(id)")) } }
        #expect(throws: StoreError(.historyChanged, "")) { try archive.refresh() }
        #expect(archive.sequence == 3)
        #expect(try archive.event(3)?.sequence == 3)
        try store.close()
    }

    @Test func `verifies an intact store and gives the digest of its state (F64)`() throws {
        var steps: [StoreProgress] = []
        let result = archive.verify { steps.append($0) }
        #expect(result.ok)
        #expect(result.problems.isEmpty)
        #expect(result.sequence == 3)
        #expect(result.digest == (try archive.snapshot().digest()))
        let last = steps.filter { $0.done == $0.total }
        #expect(last.map(\.step) == [.comparing, .loading, .reading, .digesting])
        #expect(last.allSatisfy { $0.total == 3 })
    }

    /// All checks within the checkpoint pass, but the log leads to another state.
    @Test func `reports a checkpoint that is not the fold of the log (F64)`() throws {
        let database = try CheckpointDatabase(
            path: directory.store.appending(path: "checkpoint.sqlite").path)
        let position = try #require(try database.description()?.position)
        let changes = CheckpointBatch.EntityChanges(entity: "Note", deletions: [1])
        _ = try database.write(CheckpointBatch([changes]), at: position)
        try database.close()
        let result = archive.verify()
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.contains("not the fold of the log") == true)
        #expect(result.digest == (try archive.snapshot().digest()))
    }

    @Test func `reports a column of the checkpoint that was changed by hand`() throws {
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        _ = try Shell.run(["sqlite3", checkpoint.path, "UPDATE Note SET text = 'x' WHERE id = 2"])
        let result = archive.verify()
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.contains("Note 2, column text") == true)
        // Opening reads the record, which is as it was.
        let store = try Store(at: directory.store, entities: Note.self)
        #expect(store.recovery.checkpoint == .loaded(3))
        #expect(try store.snapshot.digest() == result.digest)
    }

    @Test func `reports a checkpoint with a record that no store wrote`() throws {
        let checkpoint = directory.store.appending(path: "checkpoint.sqlite")
        _ = try Shell.run(["sqlite3", checkpoint.path, "UPDATE Note SET _sum = 7 WHERE id = 2"])
        let result = archive.verify()
        #expect(!result.ok)
        #expect(result.problems.count == 1)
        #expect(result.sequence == 3)
        #expect(result.digest == (try archive.snapshot().digest()))
        let error = StoreError(.logCorrupt, "it rots", at: .init(file: "events/x", offset: 7))
        #expect(
            Verification(problem: error).problems == ["logCorrupt: it rots [events/x at byte 7]"])
    }

    @Test func `refuses a directory that holds no store, and creates nothing`() throws {
        let nothing = directory.url.appending(path: "nothing.skyros")
        #expect(throws: StoreError(.notAStore, "")) { try Archive(at: nothing) }
        #expect(throws: StoreError(.notAStore, "")) { try Archive(at: directory.url) }
        #expect(!FileManager.default.fileExists(atPath: nothing.path))
    }

    @Test func `writes no checkpoint into a missing directory`() throws {
        let file = directory.url.appending(path: "missing/then.sqlite")
        #expect(throws: StoreError(.checkpointFailed, "")) {
            try archive.writeCheckpoint(to: file)
        }
    }

    /// The writer's checkpoint waits until the columns are compared, and comes before the records
    /// are loaded.
    @Test(.mayHang)
    func `verifies a store whose checkpoint is written meanwhile (F64)`() throws {
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write(once: "key") { try $0.insert(Note(id: 4, text: "v4")) }
        _ = try archive.refresh()
        let isWritten = Monitor(false)
        let path = directory.store.appending(path: "checkpoint.sqlite").path
        func isReadable() -> Bool {
            (try? CheckpointDatabase(path: path, readOnly: true, busyTimeoutMilliseconds: 0)) != nil
        }
        var hasBegun = false
        let result = archive.verify { step in
            guard step.step == .comparing, !hasBegun else { return }
            hasBegun = true
            Thread.detachNewThread {
                #expect(code { try store.run(.checkpoint) } == nil)
                isWritten.change { $0 = true }
            }
            // Once the writer waits for the readers, no new one is let in.
            while isReadable() { sched_yield() }
        }
        isWritten.wait { $0 ? () : nil }
        #expect(result.problems == [])
        #expect(try archive.info().checkpointSequence == 4)
        try store.close()
    }
}

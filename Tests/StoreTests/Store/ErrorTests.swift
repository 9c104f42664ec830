import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite struct `An error` {
    @Test func `is equal by its code, and describes what, where and why`() {
        let place = StoreError.Place(
            file: "events/x", offset: 7, sequences: 2...3, entity: "E", ids: [])
        let error = StoreError(.diskFull, "free some space", at: place, cause: "ENOSPC")
        #expect(error == StoreError(.diskFull, "other words"))
        #expect(error != StoreError(.io, "free some space"))
        #expect(Set([error, StoreError(.diskFull, "")]).count == 1)
        #expect(
            error.description
                == "diskFull: free some space [events/x at byte 7] [events 2 to 3] (ENOSPC)")
        #expect(error.cause == "ENOSPC")
        #expect(error.place == place)
        #expect(error.place.file == "events/x")
        #expect(error.place.offset == 7)
        #expect(StoreError(.io, "x", at: .init(sequences: 2...2)).description == "io: x [event 2]")
        #expect(StoreError.Code.diskFull.name == "diskFull")
    }

    @Test func `repeats the error of the disk exactly once`() throws {
        for (kind, reason) in [
            (SimulatedDisk.Kind.write, Fault.Reason.inputOutput), (.write, .noSpace),
            (.syncFile, .inputOutput), (.preallocate, .system(System.quotaExceeded)),
        ] {
            let disk = SimulatedDisk()
            let store = try Store(on: disk, entities: Note.self)
            disk.inject(Fault(kind, reason: reason))
            let error = #expect(throws: StoreError.self) {
                try store.write(durability: .durable) { try $0.insert(Note(id: 1, text: "a")) }
            }
            let text = try #require(error).description
            #expect(text.matches(of: /errno/).count == 1, "\(text)")
            #expect(text.contains("failed: "))
        }
        let disk = SimulatedDisk()
        disk.inject(Fault(.lock))
        let error = #expect(throws: StoreError.self) {
            _ = try Store(on: disk, entities: Note.self)
        }
        #expect(error?.description == "io: lock of lock failed: Input/output error (errno 5)")
        #expect(error?.place.file == "lock")
    }

    @Test func `names a file by its current name after a rename`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        disk.inject(Fault(.write))
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Note(id: 1, text: "a")) }
        }
        #expect(error?.message.contains("00000000000000000001.open") == true)
        #expect(error?.description.contains(".tmp") == false)
    }

    @Test func `about a damaged log states once that nothing was changed`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self)
        for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "a")) } }
        try store.close()
        let name = try #require(disk.contents.keys.first { $0.hasPrefix("events/") })
        var bytes = try #require(disk.contents[name])
        bytes[400] ^= 1
        disk.overwrite(name, with: bytes)
        let error = #expect(throws: StoreError.self) {
            _ = try Store(on: disk, entities: Note.self)
        }
        #expect(error?.code == .logCorrupt)
        let text = try #require(error).description
        #expect(text.matches(of: /nothing was changed/).count == 1, "\(text)")
    }

    @Test func `about a log that another writer has extended is a conflict`() throws {
        let contents = MemoryLog.Contents(StoreID(from: SystemEntropy()))
        let log = EventLog(MemoryLog(contents), lastTime: .zero)
        let batch = CommandBatch(metadata: Metadata(), intent: nil)
        _ = try EventLog(MemoryLog(contents), lastTime: .zero).append(batch, at: 0, deferring: true)
        #expect(throws: StoreError(.conflict, "")) {
            _ = try log.append(batch, at: 0, deferring: false)
        }
    }

    @Test func `about an event that does not fit the state is invalidEvent`() throws {
        var snapshot = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 0)
        var dirty = DirtyRows()
        let id = try RecordID(encoding: 1)
        let record = try Record(entity: "E", id: id, fields: Fields(["id": 1]))
        for change in [
            Change.deleted(record), .cleared(entity: "E", count: 3),
            .updated(entity: "E", id: id, before: Fields(), after: Fields()),
        ] {
            let event = Event(
                sequence: 1, time: .zero, metadata: Metadata(), intent: nil, changes: [change])
            #expect(throws: StoreError(.invalidEvent, "")) {
                try Projector.apply(
                    event, chainHash: snapshot.chainHash, to: &snapshot, marking: &dirty)
            }
        }
        for bytes: [UInt8] in [[], [0xA0], [0x01], [0xA1, 0x78, 0x01]] {
            #expect(throws: StoreError(.invalidEvent, "")) {
                _ = try bytes.withUnsafeBytes { try EventCoding.event(from: $0, expecting: 1) }
            }
        }
    }

    @Test func `about a checkpoint that cannot be written leaves the log intact`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        let file = directory.store.appending(path: "checkpoint.sqlite")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(throws: StoreError(.checkpointFailed, "")) { try store.close() }
        try FileManager.default.removeItem(at: file)
        #expect(try Store(at: directory.store, entities: Note.self).count(Note.self) == 1)
    }

    @Test func `about a checkpoint of a newer format refuses the opening (F27, F59)`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        let file = directory.store.appending(path: "checkpoint.sqlite").path
        _ = try Shell.run([
            "sqlite3", file, "PRAGMA user_version = 99; ALTER TABLE _skyros ADD COLUMN later",
        ])
        #expect(throws: StoreError(.unsupportedFormat, "")) {
            _ = try Store(at: directory.store, entities: Note.self)
        }
    }
}

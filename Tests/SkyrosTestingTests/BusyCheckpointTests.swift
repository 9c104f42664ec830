import Foundation
import SkyrosDisk
import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

/// Another program has the checkpoint open and locked, as a browser for SQLite files may.
@Suite struct `A checkpoint that another connection locks` {
    private let directory: TemporaryDirectory
    private let reported = Locked<[StoreError.Code]>([])

    private var file: URL { directory.store.appending(path: "checkpoint.sqlite") }

    /// Writes a store with a checkpoint of two entities.
    init() throws {
        directory = try TemporaryDirectory()
        let store = try open()
        try store.write { tx in
            for id in 1...5 { try tx.insert(Note(id: id, text: "old")) }
            try tx.insert(Counter(id: "a", value: 1))
        }
        try store.close()
    }

    private func open(_ url: URL? = nil) throws -> Store {
        let disk = try PosixDisk(path: (url ?? directory.store).path, creating: true)
        var options = Store.Options()
        options.callbackQueue = .init(label: "handler")
        options.onError = { [reported] error in
            reported.withLock { $0 += [(error as? StoreError)?.code].compactMap(\.self) }
        }
        return try Store(
            Schema([Note.self, Counter.self]), options,
            Environment(disk: disk, lockTimeoutMilliseconds: 10))
    }

    private func locked() throws -> Connection {
        let other = try Connection(ConnectionOptions(.file(file.resolvingSymlinksInPath().path)))
        try other.execute("BEGIN EXCLUSIVE")
        return other
    }

    private func codes(after store: Store) -> [StoreError.Code] {
        store.resources.options.callbackQueue.sync {}
        return reported.withLock { $0 }
    }

    @Test func `is waited for, then left alone, and the log is folded (F76)`() throws {
        let before = try Data(contentsOf: file)
        let other = try locked()
        let store = try open()
        #expect(store.recovery.checkpoint == .busy)
        #expect(store.recovery.replayedEventCount == 1)
        #expect(store.recovery.isComplete)
        #expect(try store.count(Note.self) == 5)
        try store.write { try $0.delete(Note.self, 1) }
        // Closing succeeds without it, and says so.
        try store.close()
        #expect(codes(after: store) == [.checkpointBusy])
        #expect(try Data(contentsOf: file) == before)
        try other.close()
        let again = try open()
        #expect(again.recovery.checkpoint == .loaded(1))
        #expect(try again.count(Note.self) == 4)
        try again.close()
        #expect(Environment(disk: MemoryDisk()).lockTimeoutMilliseconds == 5_000)
    }

    @Test func `is written as usual once a store that resumes has loaded it (F76)`() throws {
        let other = try locked()
        let store = try open()
        try other.close()
        store.suspend()
        try store.resume()
        try store.write { try $0.delete(Note.self, 2) }
        try store.run(.checkpoint)
        try store.close()
        #expect(codes(after: store) == [])
        let again = try open()
        #expect(again.recovery.checkpoint == .loaded(2))
        #expect(try again.all(Note.self).map(\.id) == [1, 3, 4, 5])
        try again.close()
    }

    @Test func `is replaced as a whole once it is free (F76)`() throws {
        let other = try locked()
        let store = try open()
        try other.close()
        try store.write { tx in
            try tx.deleteAll(Counter.self)
            try tx.delete(Note.self, 2)
            try tx.update(Note.self, 3) { $0.text = "new" }
            try tx.insert(Note(id: 6, text: "new"))
        }
        try store.run(.checkpoint)
        try store.write { try $0.insert(Note(id: 7, text: "newer")) }
        try store.close()
        #expect(codes(after: store) == [])
        let again = try open()
        #expect(again.recovery.checkpoint == .loaded(3))
        #expect(try again.all(Note.self).map(\.id) == [1, 3, 4, 5, 6, 7])
        #expect(try again.count(Counter.self) == 0)
        try again.close()
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `and that turns out to be another store's is left alone (F76)`() throws {
        let elsewhere = directory.url.appending(path: "Other.skyros")
        let foreign = try open(elsewhere)
        try foreign.write { try $0.insert(Note(id: 1, text: "other")) }
        try foreign.close()
        try FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(
            at: elsewhere.appending(path: "checkpoint.sqlite"), to: file)
        let before = try Data(contentsOf: file)
        let other = try locked()
        let store = try open()
        try other.close()
        try store.write { try $0.delete(Note.self, 1) }
        #expect(code { try store.close() } == .checkpointFailed)
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `and that turns out to be ahead of the log is left alone (F76)`() throws {
        let events = directory.store.appending(path: "events")
        let older = directory.url.appending(path: "older")
        try FileManager.default.copyItem(at: events, to: older)
        var store = try open()
        for id in 10...12 { try store.write { try $0.insert(Note(id: id, text: "lost")) } }
        try store.close()
        try FileManager.default.removeItem(at: events)
        try FileManager.default.moveItem(at: older, to: events)
        let before = try Data(contentsOf: file)
        let other = try locked()
        store = try open()
        try other.close()
        try store.write { try $0.delete(Note.self, 1) }
        #expect(code { try store.close() } == .logBehindCheckpoint)
        #expect(try Data(contentsOf: file) == before)
    }
}

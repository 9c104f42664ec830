import Foundation
import SkyrosDisk
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// Copies of a store, as an app makes them.
@Suite struct `A backup of a store` {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        var options = Store.Options()
        options.segmentBytesMax = 4 << 10
        store = try Store(at: directory.store, entities: Note.self, options: options)
    }

    private var copy: URL { directory.url.appending(path: "Copy.skyros") }

    private func write(_ ids: ClosedRange<Int>, durability: Durability = .buffered) throws {
        for id in ids {
            try store.write(by: "alice", durability: durability) { tx in
                try tx.insert(Note(id: id, text: "note \(id)"))
            }
        }
    }

    private func digest(_ url: URL) throws -> StateDigest {
        try Archive(at: url).snapshot().digest()
    }

    /// The rest of a second is left for the update.
    @Test func `that follows checks for changes at least four times a second`() {
        #expect((1...250).contains(Backup.pollMilliseconds))
    }

    @Test func `holds every event up to the call, deferred ones too`() throws {
        try write(1...200)
        try write(201...203, durability: .deferred)
        let report = try store.backup(to: copy)
        #expect(report.sequence == 203 && report.chainHash == store.snapshot.chainHash.rawValue)
        #expect(try digest(copy) == store.snapshot.digest())
        #expect(store.safeSequences.durable == 203)
        let archive = try Archive(at: copy)
        #expect(archive.verify().ok)
        let names = try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted()
        #expect(names == ["FORMAT.txt", "events", "lock"])
        let again = try Store(at: copy, entities: Note.self)
        #expect(again.recovery.isComplete && again.recovery.wasClean)
        try again.write { try $0.insert(Note(id: 999, text: "")) }
        try again.close()
    }

    @Test func `is brought up to date, and reports what it did`() throws {
        try write(1...200)
        try store.backup(to: copy)
        try write(201...210)
        // What it seals meanwhile would be copied.
        store.maintenance.stop()
        var last: BackupProgress?
        let report = try store.backup(to: copy) { last = $0 }
        #expect(report.sequence == 210 && last?.sequence == 210)
        #expect((last?.copiedBytes ?? .max) <= last?.totalBytes ?? 0)
        let third = try store.backup(to: copy)
        #expect(third.copiedFiles == 0 && third.appendedEvents == 0)
        #expect(try digest(copy) == store.snapshot.digest())
    }

    @Test func `blocks no thread of a task`() async throws {
        try write(1...50)
        let report = try await store.backup(to: copy)
        #expect(report.sequence == 50)
        await #expect(throws: StoreError.self) {
            try await store.backup(to: directory.store)
        }
    }

    @Test func `restores every moment`() throws {
        try write(1...60)
        try store.backup(to: copy)
        let archive = try Archive(at: copy)
        for last in [0, 1, 17, 59, 60] as [SequenceNumber] {
            let then = directory.url.appending(path: "Then \(last)")
            let report = try archive.backup(to: then, asOf: .sequence(last))
            #expect(report.sequence == last)
            #expect(try digest(then) == store.snapshot(asOf: .sequence(last)).digest())
        }
        let time = try #require(try archive.event(17)).time
        let then = directory.url.appending(path: "Then")
        #expect(try archive.backup(to: then, asOf: .date(time.date)).sequence == 17)
        let end = directory.url.appending(path: "End")
        #expect(try archive.backup(to: end, asOf: .date(.distantFuture)).sequence == 60)
        let error = failure(as: StoreError.self) {
            try archive.backup(to: end, asOf: .sequence(61))
        }
        #expect(error?.code == .noSuchEvent)
    }

    @Test func `refuses a directory with anything else, and changes nothing there`() throws {
        try write(1...20)
        let files = FileManager.default
        // Another store; the same store with other events; other files; the store itself.
        let other = directory.url.appending(path: "Other")
        try Store(at: other, entities: Note.self).close()
        let diverged = directory.url.appending(path: "Diverged")
        try store.backup(to: diverged)
        let changed = try Store(at: diverged, entities: Note.self)
        try changed.write { try $0.insert(Note(id: 77, text: "")) }
        try changed.close()
        let foreign = directory.url.appending(path: "Foreign")
        try files.createDirectory(at: foreign, withIntermediateDirectories: true)
        try Data([1]).write(to: foreign.appending(path: "letter.txt"))
        let expected: [(URL, StoreError.Code)] = [
            (other, .historyChanged), (diverged, .historyChanged), (foreign, .notAStore),
            (directory.store, .invalidInput),
            (directory.store.appending(path: "copy"), .invalidInput),
        ]
        let before = try directory.contents().filter { !$0.key.hasSuffix("lock") }
        for (url, code) in expected {
            let error = failure(as: StoreError.self) { try store.backup(to: url) }
            #expect(error?.code == code, "\(url.lastPathComponent): \(String(describing: error))")
        }
        #expect(try directory.contents().filter { !$0.key.hasSuffix("lock") } == before)
        let message = failure(as: StoreError.self) { try store.backup(to: diverged) }?.message
        #expect(message?.contains("21") == true && message?.contains("20") == true)
    }

    @Test func `does not write into a store that is open`() throws {
        try write(1...5)
        try store.backup(to: copy)
        let open = try Store(at: copy, entities: Note.self)
        #expect(failure(as: StoreError.self) { try store.backup(to: copy) }?.code == .alreadyOpen)
        try open.close()
        #expect(try store.backup(to: copy).sequence == 5)
    }

    @Test func `is none of a store that is closed or suspended`() throws {
        try write(1...5)
        store.suspend()
        #expect(failure(as: StoreError.self) { try store.backup(to: copy) }?.code == .suspended)
        try store.resume()
        try store.close()
        #expect(failure(as: StoreError.self) { try store.backup(to: copy) }?.code == .closed)
        #expect(try Archive(at: directory.store).backup(to: copy).sequence == 5)
    }

    @Test func `of a store in memory is a store on disk`() throws {
        let memory = try Store(inMemory: Note.self)
        try memory.write { try $0.insert(Note(id: 1, text: "x")) }
        #expect(try memory.backup(to: copy).sequence == 1)
        #expect(try digest(copy) == memory.snapshot.digest())
    }
}

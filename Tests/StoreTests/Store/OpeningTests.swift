import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A store on disk` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ options: Store.Options = Store.Options()) throws -> Store {
        try Store(at: directory.store, entities: Note.self, Restaurant.self, options: options)
    }

    @Test func `holds everything after it was closed and reopened`() throws {
        let nonna = Restaurant(name: "Nonna", cuisine: "italian", rating: 4.5)
        let store = try open()
        #expect(store.recovery.checkpoint == .none)
        #expect(store.recovery.wasClean)
        try store.write { try $0.insert(nonna) }
        let digest = try store.snapshot.digest()
        try store.close()
        try store.close()

        let again = try open()
        #expect(try again.get(Restaurant.self, nonna.id) == nonna)
        #expect(again.recovery.checkpoint == .loaded(1))
        #expect(again.recovery.wasClean)
        #expect(again.recovery.isComplete)
        #expect(again.recovery.replayedEventCount == 0)
        #expect(again.recovery.sequence == 1)
        #expect(try again.snapshot.digest() == digest)
        #expect(try again.all(Restaurant.self, where: \.cuisine == "italian") == [nonna])
    }

    @Test func `holds one record if a block deleted and inserted it again`() throws {
        var nonna = Restaurant(name: "Nonna", cuisine: "italian")
        let store = try open()
        try store.write { try $0.insert(nonna) }
        try store.close()

        let second = try open()
        nonna.cuisine = "ligurian"
        try second.write { tx in
            try tx.delete(Restaurant.self, nonna.id)
            try tx.insert(nonna)
        }
        let digest = try second.snapshot.digest()
        try second.close()

        let last = try open()
        #expect(last.recovery.checkpoint == .loaded(2))
        #expect(try last.all(Restaurant.self, where: \.cuisine == "italian") == [])
        #expect(try last.all(Restaurant.self) == [nonna])
        let verification = try Archive(at: directory.store).verify()
        #expect(verification.ok && verification.digest == digest)
    }

    @Test func `closes when its last reference is released`() throws {
        do {
            let store = try open()
            try store.write { try $0.insert(Note(id: 1, text: "a")) }
        }
        #expect(try open().recovery.checkpoint == .loaded(1))
    }

    @Test func `refuses a second writer with alreadyOpen`() throws {
        let store = try open()
        #expect(code { _ = try open() } == .alreadyOpen)
        try store.write { try $0.insert(Note(id: 1, text: "unharmed")) }
        try store.close()
        #expect(try open().count(Note.self) == 1)
    }

    @Test func `refuses writes after closing, and still reads (F53)`() throws {
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        #expect(code { try store.write { try $0.insert(Note(id: 2, text: "b")) } } == .closed)
        // The block does not run.
        var hasRun = false
        #expect(code { try store.write { _ in hasRun = true } } == .closed)
        #expect(!hasRun)
        #expect(try store.count(Note.self) == 1)
    }

    @Test func `creates missing directories, and does not replace a file`() throws {
        let deep = directory.url.appending(path: "a/b/c.skyros")
        try Store(at: deep, entities: Note.self).close()
        let file = directory.url.appending(path: "file")
        try Data("x".utf8).write(to: file)
        #expect(code { _ = try Store(at: file, entities: Note.self) } == .notAStore)
        #expect(try Data(contentsOf: file) == Data("x".utf8))
    }

    @Test func `refuses a symbolic link in place of its directory (F38)`() throws {
        try open().close()
        let link = directory.url.appending(path: "link.skyros")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.store)
        #expect(code { _ = try Store(at: link, entities: Note.self) } == .insecurePath)
    }

    @Test func `opens through a symbolic link in a parent directory (F43)`() throws {
        let real = directory.url.appending(path: "real")
        let link = directory.url.appending(path: "link")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        let url = link.appending(path: "Test.skyros")
        let store = try Store(at: url, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        #expect(try Store(at: url, entities: Note.self).recovery.checkpoint == .loaded(1))
    }

    @Test func `gives permissions only to its user (F39)`() throws {
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        for path in [""]
            + (try FileManager.default.subpathsOfDirectory(atPath: directory.store.path))
        {
            let file = directory.store.appending(path: path).path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
            #expect((mode as? Int).map { $0 & 0o077 } == 0, "\(path)")
        }
    }

    @Test func `refuses a schema without entities, with equal names or a computed key`() throws {
        struct Other: Entity {
            var id: Int
            static let entityName = "Note"
        }
        struct Broken: Entity {
            var id: Int
            var name: String { "computed" }
            static let indexes: [Index<Broken>] = [.on(\.name)]
        }
        struct Nameless: Entity {
            var id: Int
            static let entityName = ""
        }
        #expect(Note.entityName == "Note")
        #expect(Note.indexes.isEmpty)
        #expect(code { _ = try Store(inMemory: Nameless.self) } == .invalidSchema)
        #expect(code { _ = try Store(at: directory.store, entities: []) } == .invalidSchema)
        #expect(
            code { _ = try Store(at: directory.store, entities: Note.self, Other.self) }
                == .invalidSchema)
        #expect(code { _ = try Store(inMemory: Broken.self) } == .invalidSchema)
        #expect(!FileManager.default.fileExists(atPath: directory.store.path))
    }

    @Test func `explains how to pin a name when a type was renamed (F58)`() throws {
        struct Remark: Entity { var id: Int; var text: String }
        struct Pinned: Entity, Equatable {
            var id: Int
            var text: String
            static let entityName = "Note"
        }
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.close()
        let before = try directory.contents()
        do {
            _ = try Store(at: directory.store, entities: Remark.self)
            Issue.record("the entity is unknown")
        } catch let error as StoreError {
            #expect(error.code == .unknownEntity)
            #expect(error.message.contains("static let entityName = \"Note\""))
        }
        #expect(try directory.contents() == before)
        let pinned = try Store(at: directory.store, entities: Pinned.self)
        #expect(try pinned.all(Pinned.self) == [Pinned(id: 1, text: "a")])
        try pinned.close()
        var options = Store.Options()
        options.keepsUnknownEntities = true
        let keeping = try Store(at: directory.store, entities: [Remark.self], options: options)
        #expect(keeping.snapshot.entities == ["Note"])
        #expect(keeping.snapshot.count("Note") == 1)
    }

    @Test func `in memory has the same behaviour without files`() throws {
        let store = try Store(inMemory: Note.self)
        for id in 0..<10 {
            try store.write(durability: .durable) { try $0.insert(Note(id: id, text: "")) }
        }
        #expect(try store.snapshot(asOf: .sequence(5)).count(Note.self) == 5)
        try store.close()
        #expect(try store.count(Note.self) == 10)
    }
}

@Suite struct `A checkpoint as a cache` {
    private let directory: TemporaryDirectory
    private let digest: StateDigest

    private var checkpoint: URL { directory.store.appending(path: "checkpoint.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Note.self)
        for id in 0..<50 { try store.write { try $0.insert(Note(id: id, text: "text \(id)")) } }
        try store.write { try $0.update(Note.self, 7) { $0.text = "changed" } }
        digest = try store.snapshot.digest()
        try store.close()
    }

    private func reopened() throws -> RecoveryReport {
        let store = try Store(at: directory.store, entities: Note.self)
        defer { try? store.close() }
        #expect(try store.snapshot.digest() == digest)
        #expect(try store.count(Note.self) == 50)
        return store.recovery
    }

    @Test func `is rebuilt after it was deleted (F27)`() throws {
        try FileManager.default.removeItem(at: checkpoint)
        let report = try reopened()
        #expect(report.checkpoint == .none)
        #expect(report.replayedEventCount == 51)
        #expect(try reopened().checkpoint == .loaded(51))
    }

    @Test func `may be replaced by an older copy, which costs only time (F30)`() throws {
        let old = try Data(contentsOf: checkpoint)
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 99, text: "later")) }
        let later = try store.snapshot.digest()
        try store.close()
        try old.write(to: checkpoint)
        let again = try Store(at: directory.store, entities: Note.self)
        #expect(again.recovery.checkpoint == .loaded(51))
        #expect(again.recovery.replayedEventCount == 1)
        #expect(try again.snapshot.digest() == later)
    }

    @Test func `is quarantined and rebuilt if a bit in a row is flipped (F26)`() throws {
        var bytes = try Data(contentsOf: checkpoint)
        let place = try #require(bytes.firstRange(of: Data("changed".utf8))).lowerBound
        bytes[place] ^= 1
        try bytes.write(to: checkpoint)
        let report = try reopened()
        guard case .rebuilt(let reason) = report.checkpoint else {
            Issue.record("the damage went unnoticed")
            return
        }
        #expect(reason.contains("damaged"))
        #expect(report.quarantined == ["quarantine/checkpoint-1.sqlite"])
        #expect(!report.isComplete)
        let kept = directory.store.appending(path: "quarantine/checkpoint-1.sqlite")
        #expect(try Data(contentsOf: kept) == bytes)
        #expect(try reopened().checkpoint == .loaded(51))
    }

    @Test(arguments: ["", "no database at all", "SQLite format 3\0"])
    func `is quarantined and rebuilt if it is no database (F27)`(text: String) throws {
        try Data(text.utf8).write(to: checkpoint)
        let report = try reopened()
        if !text.isEmpty { #expect(report.quarantined.count == 1) }
        #expect(report.replayedEventCount == 51)
    }

    @Test func `overwrites no earlier one in the quarantine`() throws {
        for number in 1...3 {
            let text = "no database at all, \(number)"
            try Data(text.utf8).write(to: checkpoint)
            let path = "quarantine/checkpoint-\(number).sqlite"
            #expect(try reopened().quarantined == [path])
        }
        for number in 1...3 {
            let kept = directory.store.appending(path: "quarantine/checkpoint-\(number).sqlite")
            #expect(try String(contentsOf: kept, encoding: .utf8).hasSuffix("\(number)"))
        }
    }

    @Test func `is set aside if it belongs to another store (F27)`() throws {
        let other = try TemporaryDirectory()
        let store = try Store(at: other.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 1, text: "foreign")) }
        try store.close()
        try FileManager.default.removeItem(at: checkpoint)
        try FileManager.default.copyItem(
            at: other.store.appending(path: "checkpoint.sqlite"), to: checkpoint)
        #expect(try reopened().checkpoint == .rebuilt(because: "it belongs to another store"))
    }

    @Test func `makes the opening fail if it is ahead of the log (F29)`() throws {
        let segment = directory.store.appending(path: "events/00000000000000000001.open")
        let old = try Data(contentsOf: segment)
        let store = try Store(at: directory.store, entities: Note.self)
        try store.write { try $0.insert(Note(id: 99, text: "later")) }
        try store.close()
        try old.write(to: segment)
        let before = try directory.contents()
        #expect(throws: StoreError(.logBehindCheckpoint, "")) {
            try Store(at: directory.store, entities: Note.self)
        }
        #expect(try directory.contents() == before)
    }

    @Test func `makes the opening fail if it has another history (F31)`() throws {
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(at: directory.store, to: copy.store)
        for (store, text) in [(directory.store, "one"), (copy.store, "other")] {
            let open = try Store(at: store, entities: Note.self)
            try open.write { try $0.insert(Note(id: 99, text: text)) }
            try open.close()
        }
        try FileManager.default.removeItem(at: checkpoint)
        try FileManager.default.copyItem(
            at: copy.store.appending(path: "checkpoint.sqlite"), to: checkpoint)
        let before = try directory.contents()
        let error = #expect(throws: StoreError(.chainBroken, "")) {
            try Store(at: directory.store, entities: Note.self)
        }
        #expect(error?.place.file == "checkpoint.sqlite")
        #expect(error?.place.sequences == 52...52)
        #expect(try directory.contents() == before)
    }
}

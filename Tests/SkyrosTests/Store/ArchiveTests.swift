import Dispatch
import Foundation
import Skyros
import Testing

@Suite struct `An archive` {
    private let folder: TemporaryFolder
    private let archive: Archive

    init() throws {
        folder = try TemporaryFolder()
        let store = try Store(at: folder.store, entities: Note.self)
        for id in 1...3 { try store.write { try $0.insert(Note(id: id, text: "v\(id)")) } }
        try store.close()
        archive = try Archive(at: folder.store)
    }

    @Test func `says what the store consists of`() throws {
        let info = try archive.info()
        #expect(info.entities == ["Note": 3])
        #expect(info.sequence == 3)
        #expect(info.checkpointSequence == 3)
        #expect(info.segmentCount == 1 && info.sealedSegmentCount == 0)
        #expect(info.firstTime == (try archive.event(1)).map(\.time))
        #expect(try #require(info.firstTime) < #require(info.lastTime))
        #expect(info.openingMilliseconds == 1)
        #expect(info.rawBytes > 0 && info.logBytes > 0)
    }

    @Test func `writes the state of any moment as a database, where there is none`() throws {
        let file = folder.url.appending(path: "then.sqlite")
        #expect(try archive.writeCheckpoint(asOf: .sequence(2), to: file).count("Note") == 2)
        let texts = try Shell.lines("sqlite3", "-readonly", file.path, "SELECT text FROM Note")
        #expect(texts == ["v1", "v2"])
        #expect(throws: StoreError(.invalidInput, "")) { try archive.writeCheckpoint(to: file) }
    }

    @Test func `replaces a checkpoint that is lost, unless the store is open`() throws {
        let checkpoint = folder.store.appending(path: "checkpoint.sqlite")
        try Data("rubbish".utf8).write(to: checkpoint)
        let digest = try archive.rebuildCheckpoint().digest()
        let store = try Store(at: folder.store, entities: Note.self)
        #expect(store.recovery.checkpoint == .loaded(3))
        #expect(try store.snapshot.digest() == digest)
        #expect(throws: StoreError(.alreadyOpen, "")) { try archive.rebuildCheckpoint() }
        try store.close()
    }
}

@Suite struct `What an app may set` {
    @Test func `is the queue of completions`() async throws {
        let key = DispatchSpecificKey<Int>()
        var options = Store.Options()
        options.callbackQueue = DispatchQueue(label: "mine")
        options.callbackQueue.setSpecific(key: key, value: 7)
        let store = try Store(inMemory: Note.self, options: options)
        let seen = await withCheckedContinuation { continuation in
            store.writeAsync {
                try $0.insert(Note(id: 1, text: ""))
            } completion: { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }
        #expect(seen == 7)
    }

    @Test func `is the name of a command`() throws {
        struct Pay: DomainCommand {
            static let commandName = "pay"
            var cents: Int
        }
        let store = try Store(inMemory: Note.self)
        try store.write(intent: Pay(cents: 5)) { try $0.insert(Note(id: 1, text: "")) }
        let intent = try #require(try store.event(1)?.intent)
        #expect(intent.name == "pay")
        #expect(try intent.decode(as: Pay.self).cents == 5)
    }
}

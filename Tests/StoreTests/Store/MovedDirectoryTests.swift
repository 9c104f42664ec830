import Foundation
import Skyros
import TestSupport
import Testing

/// The directory of an open store is moved, removed or replaced.
@Suite struct `A store whose directory is moved or removed` {
    private let directory: TemporaryDirectory
    private let store: Store

    private var elsewhere: URL { directory.url.appending(path: "Elsewhere.skyros") }

    init() throws {
        directory = try TemporaryDirectory()
        var options = Store.Options()
        options.segmentBytesMax = 4_096
        store = try Store(at: directory.store, entities: Note.self, options: options)
        try store.write(durability: .durable) { try $0.insert(Note(id: 0, text: "")) }
    }

    /// Writes until a write fails, and returns the error's code.
    private func refusal() -> StoreError.Code? {
        for id in 1...1_000 {
            let refused = code { try store.write { try $0.insert(Note(id: id, text: "text")) } }
            if let refused { return refused }
        }
        return nil
    }

    @Test func `fails at the next sync, and creates no directory (F40)`() throws {
        try FileManager.default.removeItem(at: directory.store)
        #expect(refusal() == .durabilityLost)
        #expect(try store.get(Note.self, 1) != nil)
        #expect(code { try store.close() } != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test func `continues in the new place, but writes no checkpoint (F40)`() throws {
        try FileManager.default.moveItem(at: directory.store, to: elsewhere)
        #expect(refusal() == nil)
        #expect(code { try store.close() } == .checkpointFailed)
        #expect(!FileManager.default.fileExists(atPath: directory.store.path))
        let again = try Store(at: elsewhere, entities: Note.self)
        #expect(try again.count(Note.self) == 1_001)
        try again.close()
    }

    @Test func `changes nothing in a store that replaced it (F40)`() throws {
        try FileManager.default.moveItem(at: directory.store, to: elsewhere)
        let other = try Store(at: directory.store, entities: Note.self)
        try other.write { try $0.insert(Note(id: 7, text: "other")) }
        try other.close()
        let before = try directory.contents()
        #expect(refusal() == nil)
        #expect(code { try store.close() } == .checkpointFailed)
        let after = try directory.contents()
        let name = directory.store.lastPathComponent
        #expect(after.filter { $0.key.contains(name) } == before.filter { $0.key.contains(name) })
        let again = try Store(at: directory.store, entities: Note.self)
        #expect(again.recovery.checkpoint == .loaded(1))
    }
}

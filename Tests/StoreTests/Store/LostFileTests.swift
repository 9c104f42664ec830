import Foundation
import Skyros
import TestSupport
import Testing

/// The files of an open store are removed or replaced: bytes in a file without a name are lost with
/// the last descriptor, however often it is synced.
@Suite struct `A store whose log file is lost` {
    /// How the active segment loses its name.
    enum Loss: CaseIterable {
        case storeRemoved, eventsRemoved, unlinked, renamed, replaced, renamedOver
    }

    private let directory: TemporaryDirectory
    private let store: Store

    private var events: URL { directory.store.appending(path: "events") }
    private var active: URL { events.appending(path: "00000000000000000001.open") }

    init() throws {
        directory = try TemporaryDirectory()
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        store = try Store(at: directory.store, entities: Note.self, options: options)
        try store.write(durability: .durable) { try $0.insert(Note(id: 1, text: "a")) }
    }

    private func lose(_ loss: Loss) throws {
        let files = FileManager.default
        switch loss {
        case .storeRemoved: try files.removeItem(at: directory.store)
        case .eventsRemoved: try files.removeItem(at: events)
        case .unlinked: try files.removeItem(at: active)
        case .renamed: try files.moveItem(at: active, to: events.appending(path: "other"))
        case .replaced:
            let copy = try Data(contentsOf: active)
            try files.removeItem(at: active)
            try copy.write(to: active)
        case .renamedOver:
            let other = events.appending(path: "other")
            try Data(contentsOf: active).write(to: other)
            #expect(rename(other.path, active.path) == 0)
        }
    }

    @Test(arguments: Loss.allCases)
    func `fails the next durable write, and takes no more (F71)`(_ loss: Loss) throws {
        try lose(loss)
        let lost = code {
            try store.write(durability: .durable) { try $0.insert(Note(id: 2, text: "b")) }
        }
        #expect(lost == .durabilityLost)
        // The event is visible, as after any failed sync.
        #expect(store.sequence == 2)
        let later = code { try store.write { try $0.insert(Note(id: 3, text: "c")) } }
        #expect(later == .durabilityLost)
        #expect(code { try store.close() } == .durabilityLost)
    }

    @Test(arguments: Loss.allCases)
    func `fails a durable write that changes nothing (F71)`(_ loss: Loss) throws {
        try store.write { try $0.insert(Note(id: 2, text: "b")) }
        try lose(loss)
        #expect(code { try store.write(durability: .durable) { _ in } } == .durabilityLost)
    }

    @Test func `is not one whose directory was moved (F71)`() throws {
        let elsewhere = directory.url.appending(path: "Elsewhere.skyros")
        try FileManager.default.moveItem(at: directory.store, to: elsewhere)
        try store.write(durability: .durable) { try $0.insert(Note(id: 2, text: "b")) }
        let archive = try Archive(at: elsewhere)
        #expect(archive.sequence == 2)
    }
}

import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct Plain: Entity {
    var id: Int
}

/// A checkpoint whose rows others have numbered anew while the store was suspended.
@Suite(.mayHang) struct `The checkpoint of a store that resumes` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        // A checkpoint that is made from the log counts the deleted record, too: later rows have
        // other numbers in it than in a store that began with this one.
        let store = try open()
        try store.write { try $0.insert([Note(id: 1, text: "a"), Note(id: 2, text: "b")]) }
        try store.write { _ = try $0.delete(Note.self, 2) }
        try store.close()
    }

    private func open(_ others: any Entity.Type...) throws -> Store {
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        return try Store(at: directory.store, entities: [Note.self] + others, options: options)
    }

    private var checkpoint: URL { directory.store.appending(path: "checkpoint.sqlite") }

    /// A store with the records 1, 3 and 4, all of them in its checkpoint.
    private func openWithThree() throws -> Store {
        let first = try open()
        try first.write { try $0.insert([Note(id: 3, text: "c"), Note(id: 4, text: "d")]) }
        try first.close()
        return try open()
    }

    private func expectCheckpoint(_ ids: [Int]) throws {
        let again = try open()
        #expect(again.recovery.checkpoint == .loaded(again.sequence))
        #expect(try again.all(Note.self).map(\.id) == ids)
        #expect(
            try again.snapshot(asOf: .sequence(again.sequence)).digest() == again.snapshot.digest())
        try again.close()
        #expect(try Archive(at: directory.store).verify().problems == [])
    }

    @Test func `is loaded if it was made anew at the same event (F4)`() throws {
        let store = try openWithThree()
        store.suspend()
        try Archive(at: directory.store).rebuildCheckpoint()
        try store.resume()
        try store.write { _ = try $0.delete(Note.self, 4) }
        try store.close()
        try expectCheckpoint([1, 3])
    }

    @Test func `is loaded again after a failed attempt to resume (F4)`() throws {
        let store = try openWithThree()
        store.suspend()
        let other = try open(Plain.self)
        try other.write { try $0.insert(Plain(id: 1)) }
        try other.close()
        try Archive(at: directory.store).rebuildCheckpoint()
        #expect(code { try store.resume() } == .unknownEntity)
        // It leaves the checkpoint as it was when the first attempt loaded it.
        let second = try open(Plain.self)
        try second.write { _ = try $0.delete(Plain.self, 1) }
        second.suspend()
        try store.resume()
        try store.write { _ = try $0.delete(Note.self, 4) }
        try store.close()
        try expectCheckpoint([1, 3])
    }

    @Test(arguments: [false, true])
    func `is written whole if the file is missing or damaged (F4)`(_ isDamaged: Bool) throws {
        let store = try openWithThree()
        store.suspend()
        if isDamaged {
            try Data(repeating: 7, count: 10_000).write(to: checkpoint)
        } else {
            try FileManager.default.removeItem(at: checkpoint)
        }
        try store.resume()
        try store.run(.checkpoint)
        try store.close()
        try expectCheckpoint([1, 3, 4])
    }
}

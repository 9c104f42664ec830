import Foundation
import Skyros
import TestSupport
import Testing

/// The newest state of an archive, which begins with the checkpoint.
@Suite struct `The newest state of an archive` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Counter.self)
        for value in 0..<20 { try store.write { try $0.upsert(Counter(id: "a", value: value)) } }
        try store.close()
    }

    private var checkpoint: URL { directory.store.appending(path: "checkpoint.sqlite") }

    /// The state, and what was read of how much.
    private func read(_ archive: Archive) throws -> (Snapshot, done: Int, total: Int) {
        var (done, total) = (0, 0)
        let state = try archive.newestSnapshot { (done, total) = ($0, $1) }
        return (state, done, total)
    }

    @Test func `reads the checkpoint and the events after it only`() throws {
        let store = try Store(at: directory.store, entities: Counter.self)
        for value in 20..<23 { try store.write { try $0.upsert(Counter(id: "b", value: value)) } }
        let before = try directory.contents()
        let archive = try Archive(at: directory.store)
        let (state, done, total) = try read(archive)
        #expect(done == 4 && total == 4)
        #expect(state.sequence == 23)
        #expect(try state.get(Counter.self, "b")?.value == 22)
        #expect(try state.digest() == archive.snapshot().digest())
        #expect(try directory.contents() == before)
        try store.close()
        #expect(try archive.refresh() == false)
        #expect(try archive.newestSnapshot().digest() == state.digest())
    }

    @Test func `is read from the log if the checkpoint cannot be used`() throws {
        let good = try Data(contentsOf: checkpoint)
        let archive = try Archive(at: directory.store)
        let digest = try archive.snapshot().digest()
        var flipped = good
        let place = try #require(good.firstRange(of: Data("value".utf8), in: 8_192..<good.count))
        flipped[place.lowerBound + 6] ^= 1
        var newer = good
        newer[63] = 99
        for bytes in [flipped, newer, Data(), Data("no database".utf8)] {
            try bytes.write(to: checkpoint)
            let (state, done, total) = try read(archive)
            #expect(done == 20 && total == 20)
            #expect(try state.digest() == digest)
            #expect(try Data(contentsOf: checkpoint) == bytes)
        }
        try FileManager.default.removeItem(at: checkpoint)
        #expect(try archive.newestSnapshot().digest() == digest)
        #expect(!FileManager.default.fileExists(atPath: checkpoint.path))
    }

    @Test func `leaves the journal of a writer that was killed as it is`() throws {
        let journal = URL(filePath: checkpoint.path + "-journal")
        // The header of a rollback journal that is not finished.
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let counts: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 5, 0, 0, 2, 0, 0, 0, 16, 0]
        try Data(magic + counts + [UInt8](repeating: 0, count: 484)).write(to: journal)
        let before = try directory.contents()
        #expect(try Archive(at: directory.store).newestSnapshot().sequence == 20)
        #expect(try directory.contents() == before)
    }

    @Test func `is refused if the checkpoint is ahead of the log, or of another history`() throws {
        let ahead = try Data(contentsOf: checkpoint)
        func code() throws -> StoreError.Code? {
            do {
                _ = try Archive(at: directory.store).newestSnapshot()
                return nil
            } catch let error as StoreError {
                return error.code
            }
        }
        let copy = directory.url.appending(path: "Copy.skyros")
        try FileManager.default.copyItem(at: directory.store, to: copy)
        let store = try Store(at: copy, entities: Counter.self)
        try store.write { try $0.upsert(Counter(id: "x", value: 1)) }
        try store.close()
        let other = copy.appending(path: "checkpoint.sqlite")
        try Data(contentsOf: other).write(to: checkpoint)
        #expect(try code() == .logBehindCheckpoint)
        try ahead.write(to: checkpoint)
        let own = try Store(at: directory.store, entities: Counter.self)
        try own.write { try $0.upsert(Counter(id: "y", value: 1)) }
        try own.close()
        try Data(contentsOf: other).write(to: checkpoint)
        #expect(try code() == .chainBroken)
    }
}

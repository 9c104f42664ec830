import SkyrosDisk
import SkyrosTesting
import Synchronization
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity {
    var id: Int
    var text = ""
    static let indexes: [Index<Item>] = [.on(\.text)]
}

/// A clock that moves by a second whenever it is read.
private final class SteppingClock: WallClock {
    private let seconds = Atomic<Int64>(0)

    func nowMicroseconds() -> Int64 {
        seconds.add(1, ordering: .relaxed).newValue * 1_000_000
    }
}

/// What `Archive.info` says of a store, whose log has several sealed segments.
@Suite struct `The description of a store` {
    private let disk = SimulatedDisk()

    init() throws {
        var options = Store.Options()
        options.segmentBytesMax = 500
        let store = try Store(on: disk, entities: Item.self, options: options)
        for id in 1...20 { try store.write { try $0.insert(Item(id: id)) } }
        try store.close()
    }

    private func archive() throws -> Archive {
        try Archive(on: Environment(disk: disk, clock: SteppingClock()))
    }

    @Test func `estimates an opening by the time that its parts take`() throws {
        // The log was opened, and then the checkpoint and the events after it were read.
        #expect(try archive().info().openingMilliseconds == 2_005)
    }

    @Test func `reads the checkpoint with the indexes that the app has declared`() throws {
        let archive = try archive()
        let layout = try archive.checkpoint()?.layout
        let state = try archive.state(after: 20, from: archive.indexed(archive.empty, as: layout))
        #expect(state.tables.map(\.entity) == ["Item"])
        #expect(state.tables.first?.indexes.map(\.definition.fields) == [["text"]])
        let keys = IndexBTree.Bound(key: ByteString([]), isInclusive: true)
        var count = 0
        state.tables.first?.indexes.first?.tree.scanRows(from: keys, to: nil) { _ in
            count += 1
            return true
        }
        #expect(count == 20)
    }

    @Test func `needs no part of the log that the checkpoint replaces`() throws {
        let name = try #require(disk.contents.keys.filter { $0.hasSuffix(".zst") }.min())
        var bytes = try #require(disk.contents[name])
        bytes[150] ^= 1
        disk.overwrite(name, with: bytes)
        let info = try archive().info()
        #expect(info.entities == ["Item": 20] && info.sequence == 20)
        #expect(info.firstTime == nil && info.lastTime != nil)
    }

    @Test func `counts what it has read, of all`() throws {
        var last = (done: 0, total: 0)
        var isAscending = true
        _ = try archive().info { done, total in
            isAscending = isAscending && done >= last.done
            last = (done, total)
        }
        #expect(isAscending && last == (20, 20))
    }
}

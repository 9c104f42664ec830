import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

@testable import Skyros

/// Values nested to the limit, in an event that adds levels around them.
@Suite struct `A value nested to the limit` {
    /// Arrays in arrays.
    indirect enum Nest: Codable, Hashable, Sendable {
        case empty
        case around(Nest)

        init(depth: Int) {
            self = depth == 0 ? .empty : .around(Nest(depth: depth - 1))
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            self = container.isAtEnd ? .empty : .around(try container.decode(Nest.self))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if case .around(let inner) = self { try container.encode(inner) }
        }
    }

    struct Holder: Entity, Equatable {
        var id: Nest
        var inner: Nest
    }

    struct Ask: DomainCommand, Equatable {
        var inner: Nest
    }

    /// The limit for reading is not below the limit for writing.
    @Test func `survives in a sealed segment`() throws {
        let disk = SimulatedDisk()
        var options = Store.Options()
        options.segmentBytesMax = 100
        let deepest = CBORFormat.nestingMax - 2
        let id = Nest(depth: deepest)
        let holder = Holder(id: .empty, inner: Nest(depth: deepest))
        let intent = Ask(inner: Nest(depth: deepest))
        var store = try Store(on: disk, entities: Holder.self, options: options)
        store.maintenance.stop()
        try store.write(intent: intent) { try $0.insert(holder) }
        try store.write { try $0.insert(Holder(id: id, inner: .empty)) }
        try store.write { try $0.delete(Holder.self, id) }
        let segments = try #require(store.resources.log.segments)
        #expect(try segments.sealNext() && segments.sealNext())
        try store.close()
        store = try Store(on: disk, entities: Holder.self, options: options)
        #expect(try store.all(Holder.self) == [holder])
        #expect(try store.event(1)?.intent?.decode(as: Ask.self) == intent)
        #expect(try store.history(of: Holder.self, id).map(\.kind) == [.inserted, .deleted])
        try store.close()
    }

    @Test func `is verified, salvaged and taken over from a checkpoint (F36)`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Holder.self)
        let holder = Holder(id: .empty, inner: Nest(depth: CBORFormat.nestingMax - 2))
        try store.write { try $0.insert(holder) }
        try store.close()
        let archive = try Archive(on: Environment(disk: disk), reading: .upToDamage)
        #expect(archive.verify().problems == [])
        let copies = [SimulatedDisk(), SimulatedDisk()]
        #expect(try archive.salvage(onto: Environment(disk: copies[0])).isComplete)
        _ = try Archive.salvageCheckpoint(on: disk, onto: Environment(disk: copies[1]))
        for copy in copies {
            let store = try Store(on: copy, entities: Holder.self)
            #expect(try store.all(Holder.self) == [holder])
            try store.close()
        }
    }

    @Test func `is refused one level deeper (F36)`() throws {
        let store = try Store(inMemory: Holder.self)
        let tooDeep = Nest(depth: CBORFormat.nestingMax - 1)
        #expect(throws: (any Error).self) {
            try store.write { try $0.insert(Holder(id: .empty, inner: tooDeep)) }
        }
        #expect(throws: (any Error).self) {
            try store.write(intent: Ask(inner: tooDeep)) {
                try $0.insert(Holder(id: .empty, inner: .empty))
            }
        }
        #expect(store.sequence == 0)
    }
}

import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.mayHang) struct `A node that follows` {
    private let nodes = SimulatedNodes()

    @Test func `copies once what several events change`() throws {
        let store = try Store(inMemory: Note.self)
        for id in 1...100 { try store.write { try $0.insert(Note(id: id, text: "")) } }
        let view = MainView(store.session.empty, dirty: DirtyRows())
        let schema = try Schema([Note.self])
        var events = FollowedEvents(after: view)
        weak var tree: RowTrie.Root?
        try EventReader(store.session.engine).forEach(from: 1, through: 100) { event, chainHash in
            _ = try events.apply(event, byteCount: 100, chainHash, schema)
            if event.sequence == 1 { tree = events.state.tables[0].rows.tree }
            return true
        }
        // The first event copied that of the view, and no other event copied its own.
        #expect(tree != nil)
        #expect(tree === events.state.tables[0].rows.tree)
        #expect(events.events.count == 100 && view.current.sequence == 0)
    }

    @Test(arguments: [(10, 200_000), (1_200, 10)])
    func `keeps a bounded number of events and bytes until it shows them`(
        count: Int, byteCount: Int
    ) throws {
        let store = try Store(inMemory: Note.self)
        for id in 1...count {
            try store.write { try $0.upsert(Note(id: id % 10, text: "\(id)")) }
        }
        let view = MainView(store.session.empty, dirty: DirtyRows())
        let schema = try Schema([Note.self])
        var events = FollowedEvents(after: view)
        let last = SequenceNumber(rawValue: UInt64(count))
        try EventReader(store.session.engine).forEach(from: 1, through: last) { event, chainHash in
            _ = try events.apply(event, byteCount: byteCount, chainHash, schema)
            return !events.isFull
        }
        #expect(events.isFull && events.events.count < count)
    }

    @Test func `knows the unique values of older records that others write (F67)`() async throws {
        let first = try nodes.store("one", of: [Ticket.Numbered.self])
        let second = try nodes.store("two", of: [Ticket.Coded.self])
        try await first.write { try $0.insert(Ticket.Numbered(id: 1, code: 5)) }
        try first.close()
        try await second.waitUntilWriter()
        func insert(_ id: Int, _ code: String) throws {
            try second.write { try $0.insert(Ticket.Coded(id: id, code: code)) }
        }
        #expect(code { try insert(2, "5") } == .uniqueViolation)
        try insert(2, "6")
    }

    @Test func `shows what is before an event that it cannot show`() throws {
        let codes = Monitor<[StoreError.Code]>([])
        var options = Store.Options()
        options.onError = { error in
            codes.change { $0.append(StoreError.wrapping(error).code) }
        }
        let writer = try nodes.store("one", of: [Note.self, Counter.self])
        let reader = try nodes.store("two", .reader, options)
        reader.suspend()
        for id in 1...3 { try writer.write { try $0.insert(Note(id: id, text: "")) } }
        try writer.write { try $0.insert(Counter(id: "a", value: 1)) }
        try reader.resume()
        #expect(try reader.all(Note.self).map(\.id) == [1, 2, 3])
        #expect(reader.sequence == 3)
        // It is reported after what is before it is shown.
        #expect(codes.wait { $0.isEmpty ? nil : $0 } == [.unknownEntity])
    }
}

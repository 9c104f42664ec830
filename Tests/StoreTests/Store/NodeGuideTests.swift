import Foundation
import Skyros
import SkyrosDisk
import SkyrosLog
import SkyrosPostgres
import SkyrosTesting
import TestSupport
import Testing

private struct Order: Entity {
    var id: UUID
    var totalCents: Int
}

@Suite(.mayHang) struct `The guide to several nodes` {
    private let quorum = SimulatedQuorum(StoreID(from: SystemEntropy())) { .none }

    private func node(_ name: String, in directory: TemporaryDirectory) throws -> Store {
        let plan = NodePlan(.automatic, name: name) { [quorum] in quorum.connection() }
        let cache = directory.url.appending(path: name)
        return try Store(at: StorePlace(cache: cache, plan), entities: Order.self)
    }

    #if Postgres
        /// Is compiled only: it needs the servers that it names.
        private func opened(with directory: URL) throws -> Store {
            let place = StorePlace.postgres("postgresql://db1,db2,db3/shop", cache: directory)
            let store = try Store(at: place, entities: Order.self)
            return store
        }
    #endif

    @Test func `takes over, and reads what another node has written`() async throws {
        let directory = try TemporaryDirectory()
        let first = try node("one", in: directory)
        let store = try node("two", in: directory)
        #expect(first.isWriter && !store.isWriter)
        try first.close()
        let order = Order(id: UUID(), totalCents: 1_200)

        try await store.waitUntilWriter()
        try await store.write(by: "ann") { try $0.insert(order) }

        let (writer, reader) = (store, try node("three", in: directory))
        try await check(order: Order(id: UUID(), totalCents: 300), writer, reader)
    }

    private func check(order: Order, _ writer: Store, _ reader: Store) async throws {
        let receipt = try await writer.writeWithReceipt { try $0.insert(order) }.receipt
        let state = try await reader.read(after: receipt)
        #expect(try state.get(Order.self, order.id)?.totalCents == 300)
        #expect(try await reader.readLatest().count(Order.self) == 2)
    }
}

import Foundation
import Skyros
import SkyrosTesting
import Testing

/// The cost of commits in numbers that do not depend on the machine.
@Suite struct `A commit` {
    /// An entity of the size and with the fields of a typical app.
    private struct Order: Entity {
        var id: UUID
        var customer = "customer-012345"
        var restaurant = "restaurant-123"
        var status = "placed"
        var totalCents = 1_999
        var createdAt = 1_700_000_000.25
        var items = 3
        var note: String? = "no onions, please"
        var rating: Double? = 4.5
        static let indexes: [Index<Order>] = [.on(\.restaurant, \.status, \.createdAt)]
    }

    private let disk = SimulatedDisk()
    private let store: Store

    init() throws {
        var options = Store.Options()
        options.syncInterval = .milliseconds(60_000)
        store = try Store(on: disk, entities: Order.self, options: options, clock: ManualClock())
    }

    private func id(_ number: UInt8) -> UUID {
        UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, number))
    }

    private func insert(_ number: UInt8) throws {
        try store.write(by: "alice", because: "by the test") {
            try $0.insert(Order(id: id(number)))
        }
    }

    private func bytesWritten() throws -> Int {
        try Archive(on: disk).info().rawBytes
    }

    @Test func `that is buffered makes one write and no sync`() throws {
        try insert(0)
        let (writes, syncs) = (disk.count(.write), disk.count(.syncFile))
        for number in 1...100 as ClosedRange<UInt8> { try insert(number) }
        #expect(disk.count(.write) == writes + 100)
        #expect(disk.count(.syncFile) == syncs)
        #expect(disk.count(.syncDirectory) == 2)
    }

    @Test func `has a known size in the log`() throws {
        try insert(0)
        let before = try bytesWritten()
        try insert(1)
        let inserted = try bytesWritten() - before
        try store.write(by: "alice", because: "by the test") { tx in
            try tx.update(Order.self, id(1)) { $0.status = "accepted" }
        }
        let updated = try bytesWritten() - before - inserted
        // A block header of 48 bytes, the event, and padding to a multiple of 8.
        #expect(inserted == 320)
        #expect(updated == 200)
    }
}

import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// A write block that changes nothing leaves no event, but durability is promised all the same.
@Suite struct `A durable write that changes nothing` {
    /// The ways to write durably.
    enum Form: CaseIterable {
        case returning, withReceipt, chained, completing, awaiting, awaitingReceipt, laterReceipt
    }

    private let disk = SimulatedDisk()
    private let store: Store
    private let note = Note(id: 1, text: "a")

    init() throws {
        var options = Store.Options()
        // No sync but those that a write asks for.
        options.syncInterval = .seconds(3_600)
        store = try Store(on: disk, entities: Note.self, options: options)
    }

    /// Selects the forms that block the thread.
    private func blocking<R>(_ body: () throws -> R) rethrows -> R { try body() }

    /// Writes the record that is there already.
    private func writeSame(_ form: Form) async throws -> Receipt? {
        let note = note
        let change: @Sendable (inout WriteTransaction) throws -> Void = { try $0.upsert(note) }
        switch form {
        case .returning: try blocking { try store.write(durability: .durable, change) }
        case .withReceipt:
            return try blocking { try store.writeWithReceipt(durability: .durable, change).receipt }
        case .chained: try store.writeSync(durability: .durable, change)
        case .completing:
            return try await withCheckedThrowingContinuation { continuation in
                store.writeAsync(durability: .durable, change) { continuation.resume(with: $0) }
            }
        case .awaiting: try await store.write(durability: .durable, change)
        case .awaitingReceipt:
            return try await store.writeWithReceipt(durability: .durable, change).receipt
        case .laterReceipt:
            let receipt = try blocking { try store.writeWithReceipt(change).receipt }
            try await receipt.waitUntilDurable()
        }
        return nil
    }

    private func expectKept() throws {
        for seed: UInt64 in 1...8 {
            let again = try Store(on: disk.crashed(seed: seed), entities: Note.self)
            #expect(try again.get(Note.self, 1) == note)
        }
    }

    @Test(arguments: Form.allCases, [Durability.buffered, .deferred])
    func `waits for everything before it (F70)`(_ form: Form, _ earlier: Durability) async throws {
        try blocking { _ = try store.write(durability: earlier) { try $0.upsert(note) } }
        let receipt = try await writeSame(form)
        #expect(store.sequence == 1)
        if let receipt {
            #expect(receipt.sequence == nil)
            #expect(receipt.durability == .durable)
        }
        try expectKept()
    }

    @Test(arguments: Form.allCases)
    func `needs no sync if everything is durable (F70)`(_ form: Form) async throws {
        try blocking { _ = try store.write(durability: .durable) { try $0.upsert(note) } }
        let before = disk.count(.syncFile)
        _ = try await writeSame(form)
        #expect(disk.count(.syncFile) == before)
    }

    @Test(arguments: Form.allCases)
    func `fails with the sync that it needs (F70)`(_ form: Form) async throws {
        try blocking { _ = try store.write { try $0.upsert(note) } }
        disk.inject(Fault(.syncFile))
        let error = await #expect(throws: StoreError.self) { _ = try await writeSame(form) }
        #expect(error?.code == .durabilityLost)
    }

    @Test func `is buffered if that was asked for, and so is everything before it (F70)`() throws {
        try store.write(durability: .deferred) { try $0.upsert(note) }
        #expect(store.safeSequences.written == 0)
        let receipt = try store.writeWithReceipt(durability: .buffered) { try $0.upsert(note) }
            .receipt
        #expect(receipt.durability == .buffered)
        let again = try Store(on: disk.killed(), entities: Note.self)
        #expect(try again.get(Note.self, 1) == note)
    }
}

import Skyros
import SkyrosTesting
import TestSupport
import Testing

@Suite struct `Deleting several types` {
    private func fill(_ store: Store) throws {
        try store.write { tx in
            try tx.insert(User.john)
            try tx.insert([Pet(), Pet()])
            try tx.insert(Account(id: 1))
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-067: leaves one event a type, and none for an empty one`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try fill(store)
        try store.write { try $0.deleteAll(Account.self) }
        try store.deleteAll(User.self, Account.self, Pet.self, by: "alice", because: "sign-out")
        let events = try store.allEvents.dropFirst(2)
        #expect(events.map(\.metadata.actor) == ["alice", "alice"])
        #expect(events.map { $0.changes.first?.entity } == ["User", "Pet"])
        #expect(try home.reopened(store).count(Pet.self) == 0)
    }

    @Test func `S-067: reports the type that fails, and deletes the others`() throws {
        let disk = SimulatedDisk(hasCheckpoints: false)
        var options = Store.Options()
        // No write but those of events.
        options.syncInterval = .seconds(1_000)
        let store = try Store(
            on: disk, entities: User.self, Pet.self, Account.self, options: options)
        try fill(store)
        // The second event is the second write from now on.
        disk.inject(Fault(.write, after: 1, reason: .noSpace))
        let error = #expect(throws: StoreError.self) {
            try store.deleteAll(User.self, Pet.self, Account.self)
        }
        #expect(error?.code == .diskFull)
        #expect(error?.place.entity == "Pet")
        #expect(error?.message.contains("2 of 3 types were deleted") == true)
        #expect(try store.count(User.self) == 0)
        #expect(try store.count(Pet.self) == 2)
        #expect(try store.count(Account.self) == 0)
        try store.deleteAll(User.self, Pet.self, Account.self)
        #expect(try store.count(Pet.self) == 0)
    }

    @Test(arguments: Medium.allCases)
    func `S-067: names all types that the store was not opened with`(medium: Medium) throws {
        struct Stranger: Entity {
            var id: Int
        }
        let home = try Home(medium)
        let store = try home.open()
        try fill(store)
        let error = #expect(throws: StoreError.self) {
            try store.deleteAll(Stranger.self, User.self)
        }
        #expect(error?.code == .unknownEntity)
        #expect(error?.message.contains("Stranger") == true)
        #expect(try store.count(User.self) == 0)
    }
}

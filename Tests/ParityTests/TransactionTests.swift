import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@Suite struct `A transaction` {
    @Test(arguments: Medium.allCases)
    func `S-117: makes one event of many saves`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            for id in 1...20 { try tx.insert(Account(id: id)) }
            for id in 1...20 { try tx.update(Account.self, id) { $0.amount = id } }
            try tx.insert(User.john)
        }
        let events = try home.reopened(store).allEvents
        #expect(events.map(\.sequence) == [1])
        #expect(events[0].changes.count == 21)
    }

    @Test(arguments: Medium.allCases)
    func `S-118: that throws is rolled back, and the next one works`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let digest = try store.snapshot.digest()
        #expect(throws: Refused()) {
            try store.write { tx in
                try tx.insert(User.jane)
                try tx.update(User.self, User.john.id) { $0.firstname = "Jo" }
                try tx.deleteAll(User.self)
                throw Refused()
            }
        }
        #expect(try store.snapshot.digest() == digest)
        try store.write { try $0.insert(User.jane) }
        let again = try home.reopened(store)
        #expect(try again.all(User.self, sortedBy: \.firstname) == [.jane, .john])
        #expect(again.sequence == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-120: takes a deletion back if it throws later`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(throws: Refused()) {
            try store.write { tx in
                try tx.delete(User.john)
                #expect(try tx.exists(User.self, User.john.id) == false)
                throw Refused()
            }
        }
        #expect(try home.reopened(store).all(User.self) == [.john])
    }

    @Test func `S-121: of 110 saves syncs once, not 110 times`() throws {
        func syncCount(_ save: (Store) throws -> Void) throws -> Int {
            let disk = SimulatedDisk()
            let store = try Store(on: disk, entities: Account.self)
            let before = disk.count(.syncFile)
            try save(store)
            let count = disk.count(.syncFile) - before
            #expect(try store.count(Account.self) == 110)
            return count
        }
        let single = try syncCount { store in
            for id in 1...110 {
                try store.write(durability: .durable) { try $0.insert(Account(id: id)) }
            }
            #expect(store.sequence == 110)
        }
        let grouped = try syncCount { store in
            try store.write(durability: .durable) { tx in
                for id in 1...110 { try tx.insert(Account(id: id)) }
            }
            #expect(store.sequence == 1)
        }
        #expect(single >= 110)
        #expect(grouped * 20 < single)
    }
}

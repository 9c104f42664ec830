import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A value` {
    @Test(arguments: Medium.allCases)
    func `S-062: is created with nil for what is not given`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let user = User()
        try store.write { try $0.insert(user) }
        let found = try #require(try home.reopened(store).get(User.self, user.id))
        #expect(found == User(id: user.id, firstname: nil, lastname: nil, age: nil))
    }

    @Test(arguments: Medium.allCases)
    func `S-063: is inserted as the app has made it, once`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let error = try store.write { tx in
            try tx.insert(User.john)
            return #expect(throws: StoreError.self) { try tx.insert(User.john) }
        }
        #expect(error?.code == .duplicateID)
        #expect(error?.place.ids == [RecordID(User.john.id)])
        // A value belongs to no store: another one takes it too.
        let other = try Home(medium)
        let otherStore = try other.open()
        try otherStore.write { try $0.insert(try #require(try store.first(User.self))) }
        #expect(try otherStore.all(User.self) == store.all(User.self))
    }

    @Test(arguments: Medium.allCases)
    func `S-064: that was fetched again is changed and saved`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert([User.john, .jane]) }
        try store.write { tx in
            var john = try #require(try tx.first(User.self, where: \.firstname == "John"))
            john.firstname = "Jo"
            try tx.update(john)
            try tx.update(User.self, User.jane.id) { $0.age = 39 }
        }
        let again = try home.reopened(store)
        #expect(try again.get(User.self, User.john.id)?.firstname == "Jo")
        #expect(try again.get(User.self, User.jane.id)?.age == 39)
    }

    @Test(arguments: Medium.allCases)
    func `S-065: created and deleted in one block leaves no event`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert(User.john)
            try tx.delete(User.john)
        }
        #expect(store.sequence == 0)
        try store.write { try $0.insert([User.john, .jane]) }
        try store.write { try $0.delete(User.self, User.john.id) }
        #expect(try home.reopened(store).all(User.self) == [.jane])
    }

    @Test(arguments: Medium.allCases)
    func `S-066: is deleted with all others of its type, and no other type`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert([User.john, .jane])
            try tx.insert([Pet(), Pet()])
        }
        #expect(try store.write { try $0.deleteAll(User.self) } == 2)
        let again = try home.reopened(store)
        #expect(try again.count(User.self) == 0)
        #expect(try again.count(Pet.self) == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-067: is deleted with all others of several types in one block`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert([User.john, .jane])
            try tx.insert(Pet())
            try tx.insert(Account(id: 1))
        }
        let types: [any Entity.Type] = [User.self, Pet.self]
        let counts = try store.write { tx in
            var counts: [Int] = []
            for type in types { counts.append(try tx.deleteAll(type)) }
            return counts
        }
        #expect(counts == [2, 1])
        let again = try home.reopened(store)
        #expect(again.snapshot.entities == ["Account"])
    }

    @Test(arguments: Medium.allCases)
    func `S-068: is deleted twice without harm`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(try store.write { try $0.delete(User.john) })
        #expect(try store.write { try $0.delete(User.john) } == false)
        #expect(try store.write { try $0.deleteAll(User.self) } == 0)
        #expect(store.sequence == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-069: is found in a later block by its id`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let id = try store.write { tx in
            try tx.insert(User.john)
            return User.john.id
        }
        #expect(try store.get(User.self, id) == .john)
        let found = try store.write { tx in
            let found = try tx.get(User.self, id)
            try tx.delete(User.self, id)
            #expect(try tx.get(User.self, id) == nil)
            return found
        }
        #expect(found == .john)
        #expect(try store.get(User.self, id) == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-070: of another store changes nothing`(medium: Medium) throws {
        let homes = [try Home(medium), try Home(medium)]
        let stores = try homes.map { try $0.open() }
        try stores[0].write { try $0.insert(User.john) }
        try stores[1].write { try $0.insert(User.jane) }
        let john = try #require(try stores[0].first(User.self))
        let error = #expect(throws: StoreError.self) {
            try stores[1].write { try $0.update(john) }
        }
        #expect(error?.code == .notFound)
        #expect(error?.place.ids == [RecordID(john.id)])
        #expect(try stores[1].write { try $0.delete(john) } == false)
        #expect(try stores[1].all(User.self) == [.jane])
        #expect(stores[1].sequence == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-071: keeps its id, which no other value has`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let users = (0..<100).map { _ in User() }
        let ids = users.map(\.id)
        let inside = try store.write { tx in
            try tx.insert(users)
            return try tx.all(User.self).map(\.id)
        }
        let again = try home.reopened(store)
        #expect(Set(ids).count == 100)
        #expect(Set(inside) == Set(ids))
        #expect(try again.all(User.self).map(\.id) == inside)
    }

    @Test(arguments: Medium.allCases)
    func `S-103: has its id before it is stored, and after`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let user = User(firstname: "Ann")
        let id = user.id
        #expect(try store.exists(User.self, id) == false)
        try store.write { try $0.insert(user) }
        let again = try home.reopened(store)
        #expect(try again.exists(User.self, id))
        #expect(try again.first(User.self)?.id == id)
        let change = { try again.write { tx in try tx.update(User.self, id) { $0.id = UUID() } } }
        #expect(code(change) == .idChanged)
    }

    @Test(arguments: Medium.allCases)
    func `S-110: saved again after its deletion has one history`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.upsert(User.john) }
        try store.write { try $0.delete(User.john) }
        try store.write { try $0.upsert(User.john) }
        let again = try home.reopened(store)
        #expect(try again.all(User.self) == [.john])
        let kinds = try again.history(of: User.self, User.john.id).map(\.kind)
        #expect(kinds == [.inserted, .deleted, .inserted])
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A batch of objects` {
    private let users = (1...9).map { (number: Int) in
        User(firstname: "f\(number)", lastname: "l", age: number)
    }

    private func open(_ medium: Medium) throws -> (home: Home, store: Store) {
        let home = try Home(medium)
        return (home, try home.open())
    }

    @Test(arguments: Medium.allCases)
    func `S-103: has ids from the beginning, and says whether it is stored`(medium: Medium) throws {
        let (home, store) = try open(medium)
        let user = User(firstname: "Ann")
        let objects = store.objects(User.self)
        #expect(try objects.isStored(user) == false)
        #expect(try store.isStored(user) == false)
        try objects.insert(user)
        #expect(try objects.isStored(user))
        let again = try home.reopened(store)
        #expect(try again.objects(User.self).all().map(\.id) == [user.id])
        #expect(try again.isStored(user))
        #expect(
            code { try again.write { try $0.update(User.self, user.id) { $0.id = UUID() } } }
                == .idChanged)
    }

    @Test(arguments: Medium.allCases)
    func `S-104: is inserted or updated, and saved again makes no event`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let objects = store.objects(User.self)
        for _ in 0..<2 {
            try objects.upsert(users)
            #expect(try objects.count() == 9)
            #expect(store.sequence == 1)
        }
        try objects.upsert(users.prefix(2).map { User(id: $0.id, firstname: "new") })
        #expect(store.sequence == 2)
        #expect(try store.event(2)?.changes.count == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-105: is loaded with a sort, an offset and a limit`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let objects = try store.objects(User.self).insert(users)
        let request = FetchRequest<User>(sortedBy: [.descending(\.age)], offset: 2, limit: 1)
        #expect(try objects.fetch(request).map(\.age) == [7])
    }

    @Test(arguments: Medium.allCases)
    func `S-106: is refreshed in order, or names all that are missing`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let objects = try store.objects(User.self).insert(users)
        let some = [users[4], users[1]]
        try store.write { try $0.update(User.self, users[1].id) { $0.firstname = "changed" } }
        #expect(try objects.refreshed(some).map(\.firstname) == ["f5", "changed"])
        let strangers = [User(), User()]
        let error = #expect(throws: StoreError.self) {
            _ = try objects.refreshed([strangers[0], users[0], strangers[1]])
        }
        #expect(error?.code == .notFound)
        #expect(error?.place.ids == strangers.map { RecordID($0.id) })
    }

    @Test(arguments: Medium.allCases)
    func `S-107: is deleted, without those that were never stored`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let objects = try store.objects(User.self).insert(users)
        #expect(try objects.delete(users + [User()]) == 9)
        #expect(try objects.all() == [])
        #expect(store.sequence == 2)
        #expect(try objects.delete([User()]) == 0)
        #expect(store.sequence == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-108: exists if each object does, and never if it is empty`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let objects = try store.objects(User.self).insert(users)
        #expect(try objects.isStored(users[0]))
        #expect(try objects.areStored(users))
        #expect(try objects.areStored([users[0], User()]) == false)
        #expect(try objects.areStored([User]()) == false)
    }

    @Test(arguments: Medium.allCases)
    func `S-109: is saved by a chain of calls`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let ages = try store.objects(User.self)
            .insert(users[0])
            .insert([users[1], users[2]])
            .update(User(id: users[0].id, age: 50))
            .upsert(User(id: users[1].id, age: 60))
            .all().compactMap(\.age)
        #expect(ages.sorted() == [3, 50, 60])
        #expect(store.sequence == 4)
    }

    @Test(arguments: Medium.allCases)
    func `S-110: is inserted again after its deletion`(medium: Medium) throws {
        let (home, store) = try open(medium)
        let objects = try store.objects(User.self).insert(users[0])
        try objects.delete(users[0])
        try objects.upsert(users[0])
        let again = try home.reopened(store)
        #expect(try again.all(User.self) == [users[0]])
        #expect(try again.history(of: User.self, users[0].id).count == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-117: is one event in a write block, and sees itself there`(medium: Medium) throws {
        let (_, store) = try open(medium)
        let objects = store.objects(User.self)
        let pets = store.objects(Pet.self)
        try store.write(by: "alice") { tx in
            for user in users.prefix(3) { try objects.insert(user, in: &tx) }
            try pets.insert(Pet(), in: &tx)
            try objects.update(User(id: users[0].id, age: 70), in: &tx)
            let (count, found) = (try objects.count(in: tx), try objects.all(in: tx))
            let age = try objects.get(users[0].id, in: tx)?.age
            #expect(count == 3)
            #expect(found.count == 3)
            #expect(age == 70)
            #expect(try objects.count() == 0)
            let deletedCount = try objects.delete([users[1]], in: &tx)
            #expect(deletedCount == 1)
        }
        #expect(store.sequence == 1)
        let event = try #require(try store.event(1))
        #expect(event.metadata.actor == "alice")
        #expect(event.changes.count == 3)
        #expect(throws: Refused()) {
            try store.write { tx in
                try objects.deleteAll(in: &tx)
                throw Refused()
            }
        }
        #expect(try objects.count() == 2)
    }
}

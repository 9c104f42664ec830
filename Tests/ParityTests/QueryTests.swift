import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A query` {
    /// A store with John and Jane Doe, Mia Ade and one pet.
    private func family(_ medium: Medium) throws -> (home: Home, store: Store) {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert([User.john, .jane, .mia])
            try tx.insert(Pet())
        }
        return (home, store)
    }

    private func firstnames(_ users: [User]) -> [String] { users.compactMap(\.firstname) }

    @Test(arguments: Medium.allCases)
    func `S-027: gives all records of one type`(medium: Medium) throws {
        let (home, store) = try family(medium)
        #expect(Set(firstnames(try store.all(User.self))) == ["John", "Jane", "Mia"])
        #expect(try home.reopened(store).all(Pet.self).map(\.name) == ["Rex"])
    }

    @Test(arguments: Medium.allCases)
    func `S-028: gives the records for which a predicate holds`(medium: Medium) throws {
        let (_, store) = try family(medium)
        let predicate = #Predicate<User> { $0.firstname == "John" }
        #expect(try store.all(User.self, where: predicate) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-029: compares an attribute with a value of any type`(medium: Medium) throws {
        let (_, store) = try family(medium)
        #expect(try store.count(User.self, where: \.lastname == "Doe") == 2)
        #expect(try store.all(User.self, where: \.age == 7) == [.mia])
        #expect(try store.all(User.self, where: \.id == User.jane.id) == [.jane])
    }

    @Test(arguments: Medium.allCases)
    func `S-030: sorts in both directions`(medium: Medium) throws {
        let (_, store) = try family(medium)
        let does: Filter<User> = \.lastname == "Doe"
        let up = try store.all(User.self, where: does, sortedBy: [.ascending(\.firstname)])
        let down = try store.all(User.self, where: does, sortedBy: [.descending(\.firstname)])
        #expect(firstnames(up) == ["Jane", "John"])
        #expect(firstnames(down) == ["John", "Jane"])
    }

    @Test(arguments: Medium.allCases)
    func `S-031: sorts by several fields with a direction for each`(medium: Medium) throws {
        let (_, store) = try family(medium)
        let sort: [Sort<User>] = [.ascending(\.lastname), .descending(\.firstname)]
        #expect(firstnames(try store.all(User.self, sortedBy: sort)) == ["Mia", "John", "Jane"])
    }

    @Test(arguments: Medium.allCases)
    func `S-031: sorts by the names of several fields`(medium: Medium) throws {
        let (home, store) = try family(medium)
        let sort: [RecordSort] = [.ascending("lastname"), .descending("firstname")]
        func names(_ state: Snapshot) throws -> [String] {
            try state.records("User", sortedBy: sort).map { try $0.value("firstname") }
        }
        #expect(try names(store.snapshot) == ["Mia", "John", "Jane"])
        try store.write { tx in
            try tx.update(User.self, User.jane.id) { $0.lastname = "Abe" }
            let found = try tx.records("User", where: RecordField("age") > 7, sortedBy: sort)
            #expect(found.map { $0["firstname"] } == ["Jane", "John"])
        }
        #expect(try names(home.reopened(store).snapshot) == ["Jane", "Mia", "John"])
    }

    @Test(arguments: Medium.allCases)
    func `S-032: skips and limits`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert((0..<10).map { Account(id: $0, amount: 100 - $0) }) }
        func amounts(_ offset: Int, _ limit: Int?) throws -> [Int] {
            try store.all(Account.self, sortedBy: \.amount, offset: offset, limit: limit)
                .map(\.amount)
        }
        #expect(try amounts(3, 4) == [94, 95, 96, 97])
        #expect(try amounts(10, 4) == [])
        #expect(try amounts(0, 0) == [])
        #expect(try amounts(0, nil) == Array(91...100))
    }

    @Test(arguments: Medium.allCases)
    func `S-033: has the filter and the sort that were set last`(medium: Medium) throws {
        let (_, store) = try family(medium)
        var request = FetchRequest<User>(
            where: \.lastname == "Ade", sortedBy: [.ascending(\.firstname)])
        request.filter = \.lastname == "Doe"
        request.sort = [.descending(\.firstname)]
        #expect(firstnames(try store.fetch(request)) == ["John", "Jane"])
    }

    @Test(arguments: Medium.allCases)
    func `S-034: counts as many records as it gives`(medium: Medium) throws {
        let (_, store) = try family(medium)
        #expect(try store.count(User.self) == 3)
        #expect(try store.count(User.self, where: \.firstname == "Jane") == 1)
        for limit in [nil, 0, 1, 9] as [Int?] {
            for offset in [0, 1, 9] {
                let request = FetchRequest<User>(
                    where: \.lastname == "Doe", offset: offset, limit: limit)
                #expect(try store.count(request) == store.fetch(request).count)
            }
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-035: gives the first record, or nil`(medium: Medium) throws {
        let (_, store) = try family(medium)
        #expect(try store.first(User.self) != nil)
        #expect(try store.first(User.self, where: \.lastname == "Smith") == nil)
        #expect(try store.first(User.self, where: \.firstname == "Mia") == .mia)
        #expect(
            try store.first(User.self, where: \.lastname == "Doe", sortedBy: \.firstname) == .jane)
        #expect(try store.first(Account.self) == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-036: for another type finds nothing`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        #expect(try store.all(Pet.self) == [])
        #expect(try store.get(Pet.self, User.john.id) == nil)
        #expect(try store.first(Pet.self) == nil)
        #expect(try store.count(Pet.self) == 0)
    }

    @Test(arguments: Medium.allCases)
    func `S-038: is a value that the app may change before it is used`(medium: Medium) throws {
        let (_, store) = try family(medium)
        func fetch(_ configure: (inout FetchRequest<User>) -> Void) throws -> [User] {
            var request = FetchRequest<User>(sortedBy: [.ascending(\.firstname)], limit: 3)
            configure(&request)
            return try store.fetch(request)
        }
        #expect(firstnames(try fetch { _ in }) == ["Jane", "John", "Mia"])
        #expect(firstnames(try fetch { $0.limit = 1 }) == ["Jane"])
        #expect(
            firstnames(try fetch { $0.filter = Filter { ($0.age ?? 0) < 39 } }) == ["Jane", "Mia"])
    }

    private struct Track: Entity {
        static let defaultOrder: [Sort<Track>] = [.descending(\.title)]
        var id: Int
        var title: String
    }

    @Test(arguments: Medium.allCases)
    func `S-039: has the default order of its entity`(medium: Medium) throws {
        let directory = try TemporaryDirectory()
        let store =
            medium == .disk
            ? try Store(at: directory.store, entities: Track.self)
            : try Store(inMemory: Track.self)
        try store.write { tx in
            try tx.insert(["B", "C", "A"].enumerated().map { Track(id: $0, title: $1) })
        }
        #expect(try store.all(Track.self).map(\.title) == ["C", "B", "A"])
        #expect(try store.first(Track.self)?.title == "C")
        #expect(try store.all(Track.self, sortedBy: \.title).map(\.title) == ["A", "B", "C"])
        #expect(try store.all(Track.self, sortedBy: [.byID]).map(\.title) == ["B", "C", "A"])
    }

    @Test(arguments: Medium.allCases)
    func `S-040: throws the error of its condition`(medium: Medium) throws {
        let (_, store) = try family(medium)
        let filter = Filter<User> { _ in throw Refused() }
        #expect(throws: Refused()) { try store.all(User.self, where: filter) }
        #expect(throws: Refused()) { try store.count(User.self, where: filter) }
        #expect(throws: Refused()) { try store.first(User.self, where: filter) }
        #expect(try store.count(User.self) == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-042: gives values that later writes do not change`(medium: Medium) async throws {
        let (_, store) = try family(medium)
        let john = try #require(try store.get(User.self, User.john.id))
        let before = store.snapshot
        try store.writeSync { tx in try tx.update(User.self, john.id) { $0.firstname = "Jo" } }
        // Another task takes them along: the compiler knows that they are safe to share.
        let names = try await Task.detached {
            (john.firstname, try before.get(User.self, john.id)?.firstname)
        }.value
        #expect(names.0 == "John")
        #expect(names.1 == "John")
        #expect(try store.get(User.self, john.id)?.firstname == "Jo")
    }
}

import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `A three-way merge` {
    /// The states of one user on the three sides, and what comes of them by each policy.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let base: User?
        let parent: User?
        let child: User?
        /// The result, or nil where the merge is refused: by default, `.fail`, `.parentWins` and
        /// `.childWins`.
        let results: [Result]

        enum Result: Equatable, Sendable {
            case user(User), absent, refused
        }
    }

    private static let id = UUID()

    private static func user(_ first: String?, _ last: String?, _ age: Int?) -> User {
        User(id: id, firstname: first, lastname: last, age: age)
    }

    private static func same(_ user: User?) -> [Case.Result] {
        [Case.Result](repeating: user.map { .user($0) } ?? .absent, count: 4)
    }

    static let cases: [Case] = {
        let base = user("John", "Doe", 40)
        let named = user("Jo", "Doe", 40)
        let aged = user("John", "Doe", 41)
        func merge(
            _ name: String, _ base: User?, _ parent: User?, _ child: User?, _ results: [Case.Result]
        ) -> Case {
            Case(
                testDescription: name, base: base, parent: parent, child: child, results: results)
        }
        return [
            merge("only the child updates", base, base, named, same(named)),
            merge("only the parent updates", base, named, base, same(named)),
            merge("both make the same update", base, named, named, same(named)),
            merge("updates of different fields", base, aged, named, same(user("Jo", "Doe", 41))),
            merge(
                "a field is removed, another is set", base, user("John", nil, 40), aged,
                same(user("John", nil, 41))),
            merge(
                "updates of the same field", base, aged, user("John", "Doe", 42),
                [
                    .user(user("John", "Doe", 42)), .refused, .user(aged),
                    .user(user("John", "Doe", 42)),
                ]),
            merge(
                "updates of the same field and of others", base, user("John", "D", 41),
                user("Jo", "Doe", 42),
                [
                    .user(user("Jo", "D", 42)), .refused, .user(user("Jo", "D", 41)),
                    .user(user("Jo", "D", 42)),
                ]),
            merge(
                "one removes the field that the other sets", base, user("John", "Doe", nil), aged,
                [.user(aged), .refused, .user(user("John", "Doe", nil)), .user(aged)]),
            merge("only the child deletes", base, base, nil, same(nil)),
            merge("only the parent deletes", base, nil, base, same(nil)),
            merge("both delete", base, nil, nil, same(nil)),
            merge(
                "the parent deletes, the child updates", base, nil, named,
                [.refused, .refused, .absent, .user(named)]),
            merge(
                "the child deletes, the parent updates", base, named, nil,
                [.refused, .refused, .user(named), .absent]),
            merge("only the child inserts", nil, nil, named, same(named)),
            merge("only the parent inserts", nil, named, nil, same(named)),
            merge("both insert the same", nil, named, named, same(named)),
            merge(
                "both insert, with different fields", nil, user("Jo", nil, nil),
                user(nil, "Doe", nil), same(user("Jo", "Doe", nil))),
            merge(
                "both insert, with the same field", nil, user("Jo", "A", nil), user("Jo", "B", 1),
                [
                    .user(user("Jo", "B", 1)), .refused, .user(user("Jo", "A", 1)),
                    .user(user("Jo", "B", 1)),
                ]),
        ]
    }()

    private func set(_ user: User?, in store: some RecordStore) throws {
        try store.write { tx in
            if let user {
                try tx.upsert(user)
            } else {
                try tx.delete(User.self, Self.id)
            }
        }
    }

    @Test(arguments: Medium.allCases, cases)
    func `S-090: of a record follows the policy`(medium: Medium, merge: Case) throws {
        let policies: [MergePolicy] = [.childFieldsWin, .fail, .parentWins, .childWins]
        let home = try Home(medium)
        let store = try home.open()
        for (policy, result) in zip(policies, merge.results) {
            try set(merge.base, in: store)
            let child = store.fork()
            try set(merge.child, in: child)
            try set(merge.parent, in: store)
            let before = (sequence: store.sequence, digest: try store.snapshot.digest())
            do {
                let merged = try child.merge(policy: policy)
                let found = try store.get(User.self, Self.id)
                #expect(found.map { Case.Result.user($0) } ?? .absent == result)
                #expect(merged.conflicts.isEmpty == !merge.results.contains(.refused))
                #expect(try child.snapshot.digest() == store.snapshot.digest())
            } catch let error as StoreError {
                #expect(error.code == .mergeConflict && result == .refused)
                #expect(error.conflicts.map(\.id) == [RecordID(Self.id)])
                #expect(error.conflicts.map(\.entity) == ["User"])
                #expect(store.sequence == before.sequence)
                #expect(try store.snapshot.digest() == before.digest)
                #expect(try child.get(User.self, Self.id) == merge.child)
                try child.discard()
            }
        }
        try store.close()
    }

    @Test(arguments: Medium.allCases)
    func `S-090: names the records and fields in conflict`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert([User.john, .jane, .mia]) }
        let child = store.fork()
        try child.write { tx in
            try tx.update(User.self, User.john.id) { ($0.age, $0.firstname) = (1, "J") }
            try tx.delete(User.jane)
            try tx.update(User.self, User.mia.id) { $0.age = 1 }
        }
        try store.write { tx in
            try tx.update(User.self, User.john.id) { ($0.age, $0.lastname) = (2, "D") }
            try tx.update(User.self, User.jane.id) { $0.age = 2 }
            try tx.delete(User.mia)
        }
        let error = failure(as: StoreError.self) { try child.merge(policy: .fail) }
        let conflicts = try #require(error).conflicts
        #expect(conflicts.map(\.kind) == [.updatedByBoth, .deletedByChild, .deletedByParent])
        #expect(conflicts.map(\.fields) == [["age"], [], []])
        let john = conflicts[0]
        #expect([john.base, john.parent, john.child].map { $0?["age"] } == [40, 2, 1])
        #expect(error?.message.contains("\"age\"") == true)
        #expect(error?.place.ids.count == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-090: asks a closure about each conflict`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert((1...4).map { Account(id: $0, amount: 10) }) }
        let child = store.fork()
        try child.write { tx in
            for id in 1...4 { try tx.update(Account.self, id) { $0.amount += id } }
        }
        try store.write { tx in
            for id in 1...4 { try tx.update(Account.self, id) { $0.amount += 100 } }
        }
        let result = try child.merge(
            policy: .resolve { conflict in
                let (parent, child) = (try #require(conflict.parent), try #require(conflict.child))
                let base = try #require(conflict.base).decode(as: Account.self)
                switch base.id {
                case 1: return .parent
                case 2: return .child
                case 3: return .deletion
                default:
                    // Both increments count.
                    var sum = parent
                    let amounts = try [parent, child].map { try $0.decode(as: Account.self).amount }
                    sum["amount"] = .integer(Int128(amounts[0] + amounts[1] - base.amount))
                    return .record(sum)
                }
            })
        #expect(result.conflicts.count == 4)
        let again = try home.reopened(store)
        #expect(
            try again.all(Account.self).map { [$0.id, $0.amount] } == [
                [1, 110], [2, 12], [4, 114],
            ])
        #expect(again.sequence == 3)
    }

    @Test(arguments: Medium.allCases)
    func `S-090: refuses a resolution that is another record, or does not fit its type`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(Account(id: 1)) }
        let child = store.fork()
        try child.write { tx in try tx.update(Account.self, 1) { $0.amount = 1 } }
        try store.write { tx in try tx.update(Account.self, 1) { $0.amount = 2 } }
        func merge(_ field: String, _ value: FieldValue, _ id: RecordID? = nil) -> StoreError.Code?
        {
            code {
                try child.merge(
                    policy: .resolve { conflict in
                        let record = try Record(
                            entity: conflict.entity, id: id ?? conflict.id,
                            fields: ["id": 1, field: value])
                        return .record(record)
                    })
            }
        }
        #expect(merge("amount", 3, RecordID(2)) == .invalidInput)
        #expect(merge("amount", "three") == .notDecodable)
        #expect(merge("other", 2) == .notDecodable)
        #expect(store.sequence == 2)
        #expect(merge("amount", 3) == nil)
        #expect(try store.get(Account.self, 1)?.amount == 3)
    }
}

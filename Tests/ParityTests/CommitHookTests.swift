import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

private struct Renamed: DomainCommand {
    var name: String
}

@Suite struct `A hook before commits` {
    @Test(arguments: Medium.allCases)
    func `S-073: is called once for a write that changes something`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let actors = Locked<[String?]>([])
        let hook = store.willCommit { commit in
            actors.withLock { $0.append(commit.metadata.actor) }
        }
        try store.write(by: "ada") { try $0.insert(User.john) }
        try store.write(by: "bob") { _ in }
        try store.write(by: "bob", intent: Renamed(name: "x")) { try $0.update(User.john) }
        #expect(throws: Refused()) {
            try store.write(by: "bob") { tx in
                try tx.insert(User.jane)
                throw Refused()
            }
        }
        #expect(actors.withLock { $0 } == ["ada"])
        withExtendedLifetime(hook) {}
    }

    @Test(arguments: Medium.allCases)
    func `S-073: is called before the change is visible`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let seen = Locked<[Int]>([])
        let hook = store.willCommit { [weak store] commit in
            guard let store else { return }
            let visible = try store.count(User.self)
            let changes = try commit.changes(of: User.self)
            let ages = try changes.compactMap { try $0.after?.age }
            seen.withLock { $0 += [visible, commit.changes.count] + ages }
            #expect(try commit.stateBefore.count(User.self) == visible)
            #expect(throws: StoreError(.nestedWrite, "")) { try store.write { _ in } }
        }
        try store.write { try $0.insert(User.john) }
        try store.write { try $0.insert([User.jane, .mia]) }
        #expect(seen.withLock { $0 } == [0, 1, 40, 1, 2, 38, 7])
        withExtendedLifetime(hook) {}
    }

    @Test(arguments: Medium.allCases)
    func `S-073: may refuse the commit`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let hook = store.willCommit { commit in
            for change in try commit.changes(of: Account.self) {
                if let amount = try change.after?.amount, amount < 0 { throw Refused() }
            }
        }
        try await store.write { try $0.insert(Account(id: 1, amount: 5)) }
        await #expect(throws: Refused()) {
            try await store.write { tx in
                try tx.insert(Account(id: 2))
                try tx.update(Account.self, 1) { $0.amount = -5 }
            }
        }
        #expect(try store.all(Account.self) == [Account(id: 1, amount: 5)])
        #expect(try store.allEvents.count == 1)
        withExtendedLifetime(hook) {}
    }

    @Test(arguments: Medium.allCases)
    func `S-126: ends with its last reference, or when it is cancelled`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        final class Owner: Sendable {}
        let count = Locked(0)
        weak var released: Owner?
        do {
            let owner = Owner()
            released = owner
            let first = store.willCommit { _ in
                withExtendedLifetime(owner) { count.withLock { $0 += 1 } }
            }
            let second = store.willCommit { _ in count.withLock { $0 += 10 } }
            try store.write { try $0.insert(User.john) }
            second.cancel()
            try store.write { try $0.insert(User.jane) }
            withExtendedLifetime((first, second)) {}
        }
        #expect(released == nil)
        try store.write { try $0.insert(User.mia) }
        #expect(count.withLock { $0 } == 12)
    }
}

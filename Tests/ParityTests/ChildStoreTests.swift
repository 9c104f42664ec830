import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `A child store` {
    @Test(arguments: Medium.allCases)
    func `S-080: has a parent, and is usable until it is discarded`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork(by: "ann")
        #expect(child.parent === store)
        #expect(child.actor == "ann")
        try child.write { try $0.insert(User.john) }
        #expect(try child.all(User.self) == [.john])
        try child.discard()
        try child.discard()
        let errors = [
            code { _ = try child.all(User.self) }, code { try child.write { _ in } },
            code { _ = try child.merge() }, code { _ = try child.refresh() },
            code { _ = try child.fork() }, code { _ = try child.hasChanges },
            code { _ = try child.changes() }, code { _ = try child.read { $0.sequence } },
        ]
        #expect(errors.allSatisfy { $0 == .discarded })
    }

    @Test(arguments: Medium.allCases)
    func `S-081: sees its parent as of the fork, and more after a refresh`(
        medium: Medium
    ) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let child = store.fork()
        #expect(try child.count(User.self) == 1)
        try store.write { tx in
            try tx.insert(User.jane)
            try tx.update(User.self, User.john.id) { $0.age = 41 }
        }
        #expect(try child.all(User.self) == [.john])
        try child.write { tx in try tx.update(User.self, User.john.id) { $0.firstname = "Jo" } }
        #expect(try child.refresh().isEmpty)
        #expect(try child.count(User.self) == 2)
        let john = try #require(try child.get(User.self, User.john.id))
        #expect(john.age == 41 && john.firstname == "Jo")
        #expect(try store.get(User.self, User.john.id)?.firstname == "John")
        #expect(try child.snapshot.sequence == store.sequence)
    }

    @Test(arguments: Medium.allCases)
    func `S-082: hides its writes from its parent until they are merged`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork()
        try child.write { try $0.insert(User.john) }
        #expect(try child.count(User.self) == 1)
        #expect(try store.count(User.self) == 0)
        #expect(store.sequence == 0)
        try child.merge()
        #expect(try store.count(User.self) == 1)
    }

    @Test(arguments: Medium.allCases)
    func `S-083: is merged as one durable event, which readers see whole`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork(by: "ann")
        for id in 1...50 { try child.write { try $0.insert(Account(id: id)) } }
        let isOver = Locked(false)
        let ended = Gate()
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                let count = (try? store.count(Account.self)) ?? -1
                #expect([0, 50].contains(count))
            }
            ended.pass()
        }
        let result = try child.merge(because: "done", durability: .durable)
        isOver.withLock { $0 = true }
        ended.waitUntilReached()
        ended.open()
        #expect(result.sequence == 1 && result.changeCount == 50)
        #expect(result.receipt?.durability == .durable)
        let again = try home.reopened(store)
        #expect(try again.count(Account.self) == 50)
        let events = try again.allEvents
        #expect(events.count == 1)
        #expect(events[0].metadata.actor == "ann" && events[0].metadata.reason == "done")
    }

    @Test(arguments: Medium.allCases)
    func `S-084: is usable after a merge, and merges only what was added`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork()
        try child.write { try $0.insert(User.john) }
        try child.merge()
        #expect(try child.count(User.self) == 1)
        #expect(try !child.hasChanges)
        try child.write { try $0.insert(User.jane) }
        try child.merge()
        #expect(try store.count(User.self) == 2)
        try child.merge()
        let events = try home.reopened(store).allEvents
        #expect(events.map(\.changes.count) == [1, 1])
    }

    @Test(arguments: Medium.allCases)
    func `S-085: leaves no trace if it is discarded`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let digest = try store.snapshot.digest()
        let child = store.fork()
        try child.write { tx in
            try tx.deleteAll(User.self)
            try tx.insert(User.jane)
        }
        try child.discard()
        #expect(try store.snapshot.digest() == digest)
        let again = try home.reopened(store)
        #expect(again.sequence == 1)
        #expect(try again.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-086: of another store is not merged`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let other = try Home(.memory).open()
        let child = other.fork()
        try child.write { try $0.insert(User.john) }
        #expect(code { _ = try store.merge(child) } == .foreignChild)
        #expect(code { _ = try child.fork().merge(store.fork()) } == .foreignChild)
        #expect(store.sequence == 0)
        #expect(try child.hasChanges)
        try other.merge(child)
        #expect(try other.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-087: has children, which are merged level by level`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork(by: "ann")
        let grandchild = try child.fork()
        #expect(grandchild.parent === child)
        try grandchild.write { try $0.insert(User.john) }
        #expect(code { _ = try store.merge(grandchild) } == .foreignChild)
        let result = try grandchild.merge()
        #expect(result.sequence == nil && result.receipt == nil && result.changeCount == 1)
        #expect(try child.count(User.self) == 1)
        #expect(try store.count(User.self) == 0)
        try child.merge()
        #expect(try home.reopened(store).allEvents.map(\.metadata.actor) == ["ann"])
    }

    @Test(arguments: Medium.allCases)
    func `S-089: does not see its siblings`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let (a, b) = (store.fork(), store.fork())
        try a.write { try $0.insert(User.john) }
        #expect(try b.count(User.self) == 0)
        try b.write { try $0.insert(User.jane) }
        try a.merge()
        #expect(try b.all(User.self) == [.jane])
        try b.merge()
        #expect(try home.reopened(store).all(User.self, sortedBy: \.firstname) == [.jane, .john])
    }

    @Test(arguments: Medium.allCases)
    func `S-091: keeps its edits whatever fails`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let child = store.fork()
        try child.write { tx in
            try tx.delete(User.john)
            try tx.insert(User.jane)
        }
        try store.write { tx in try tx.update(User.self, User.john.id) { $0.age = 41 } }
        #expect(code { _ = try child.merge() } == .mergeConflict)
        #expect(throws: Refused()) { try child.merge(policy: .resolve { _ in throw Refused() }) }
        #expect(throws: Refused()) { try child.write { _ in throw Refused() } }
        try store.write { tx in
            #expect(code { _ = try child.merge(policy: .childWins) } == .nestedWrite)
        }
        try child.write { _ in
            #expect(code { _ = try child.merge(policy: .childWins) } == .nestedWrite)
            #expect(code { _ = try child.refresh() } == .nestedWrite)
            #expect(code { try child.discard() } == .nestedWrite)
        }
        #expect(try child.refresh().map(\.kind) == [.deletedByChild])
        #expect(code { _ = try child.merge() } == .mergeConflict)
        #expect(store.sequence == 2)
        #expect(try child.all(User.self) == [.jane])
        try child.merge(policy: .childWins)
        #expect(try home.reopened(store).all(User.self) == [.jane])
    }

    @Test(arguments: Medium.allCases)
    func `S-091: says so if it is released with edits`(medium: Medium) throws {
        let errors = Locked<[any Error]>([])
        var home = try Home(medium)
        home.options.onError = { error in errors.withLock { $0.append(error) } }
        let store = try home.open()
        do {
            let (merged, discarded, unused) = (store.fork(), store.fork(), store.fork())
            try merged.write { try $0.insert(User.john) }
            try merged.merge()
            try discarded.write { try $0.insert(User.jane) }
            try discarded.discard()
            #expect(try unused.count(User.self) == 0)
        }
        do {
            let lost = store.fork()
            try lost.write { try $0.insert(User.mia) }
        }
        home.options.callbackQueue.sync {}
        let found = errors.withLock { $0 }.compactMap { ($0 as? StoreError)?.code }
        #expect(found == [.unmergedEdits])
    }

    @Test(arguments: Medium.allCases)
    func `S-091: keeps its edits when its parent is closed`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        let child = store.fork()
        try child.write { try $0.insert(User.john) }
        try store.close()
        #expect(code { _ = try child.merge() } == .closed)
        try child.write { try $0.insert(User.jane) }
        #expect(try child.count(User.self) == 2)
        #expect(try child.changes().count == 2)
        try child.discard()
    }
}

import Dispatch
import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite struct `An error` {
    @Test(arguments: Medium.allCases)
    func `S-074: that no caller receives is handled on the callback queue`(medium: Medium) throws {
        let key = DispatchSpecificKey<Bool>()
        let handled = Monitor<[Bool]>([])
        var home = try Home(medium)
        home.options.callbackQueue.setSpecific(key: key, value: true)
        home.options.onError = { error in
            let isOnQueue = DispatchQueue.getSpecific(key: key) == true
            handled.change { $0.append(isOnQueue && error is Refused) }
        }
        let store = try home.open()
        store.writeAsync { _ in throw Refused() }
        let calls = handled.wait { $0.isEmpty ? nil : $0 }
        #expect(calls == [true])
    }

    @Test(arguments: Medium.allCases)
    func `S-074: goes to the handler that is set, and to no earlier one`(medium: Medium) throws {
        let calls = Monitor<[String]>([])
        var home = try Home(medium)
        home.options.onError = { _ in calls.change { $0.append("first") } }
        let store = try home.open()
        store.writeAsync { _ in throw Refused() }
        calls.wait { $0.count == 1 ? () : nil }
        store.onError = { error in
            calls.change { $0.append(error is Refused ? "second" : "another error") }
        }
        store.writeAsync { _ in throw Refused() }
        #expect(calls.wait { $0.count == 2 ? $0 : nil } == ["first", "second"])
        store.onError = nil
        store.writeAsync { _ in throw Refused() }
        try store.flush()
        home.options.callbackQueue.sync {}
        #expect(calls.withLock { $0.count } == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-077: has a code, the entity and the ids`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert(User.john) }
        let calls: [(StoreError.Code, (inout WriteTransaction) throws -> Void)] = [
            (.duplicateID, { try $0.insert(User.john) }),
            (.notFound, { try $0.update(User.jane) }),
            (.idChanged, { tx in try tx.update(User.self, User.john.id) { $0.id = User.jane.id } }),
        ]
        for (expected, call) in calls {
            let error = #expect(throws: StoreError.self) { try store.write { try call(&$0) } }
            let id = expected == .notFound ? User.jane.id : User.john.id
            #expect(error?.code == expected)
            #expect(error?.code.name == expected.name)
            #expect(error?.place.entity == "User")
            #expect(error?.place.ids == [RecordID(id)])
        }
        #expect(StoreError.Code.duplicateID.name == "duplicateID")
    }

    @Test(arguments: Medium.allCases)
    func `S-078: of a write leaves the store usable`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        #expect(throws: Refused()) {
            try store.writeSync { try $0.insert(User.john) }
                .writeSync { _ in throw Refused() }
                .writeSync { try $0.insert(User.mia) }
        }
        var count: Int?
        try store.writeSync { try $0.insert(User.jane) }
            .read { count = try $0.count(User.self) }
        #expect(count == 2)
        #expect(try home.reopened(store).all(User.self, sortedBy: \.firstname) == [.jane, .john])
    }

    @Test(arguments: Medium.allCases)
    func `S-078: of one link leaves the rest of a chain`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let rest = (try? store.writeSync { _ in throw Refused() }) ?? store
        try rest.writeSync { try $0.insert(User.john) }
        let done = Completions()
        store.writeAsync({ _ in throw Refused() }, completion: { done.add($0) })
        store.writeAsync({ try $0.insert(User.jane) }, completion: { done.add($0) })
        let results = try await done.waitInBackground(for: 2)
        #expect(results.map { (try? $0.get()) != nil } == [false, true])
        #expect(try store.count(User.self) == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-079: names every value at fault, and nothing is saved`(medium: Medium) throws {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { try $0.insert([User.john, .jane]) }
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.insert([User.john, .mia, .jane]) }
        }
        #expect(error?.code == .duplicateID)
        #expect(error?.place.ids == [RecordID(User.john.id), RecordID(User.jane.id)])
        #expect(try store.get(User.self, User.mia.id) == nil)
        #expect(store.sequence == 1)
    }
}

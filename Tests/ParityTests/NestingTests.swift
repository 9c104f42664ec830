import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

@Suite(.mayHang) struct `A call inside of another` {
    @Test(arguments: Medium.allCases)
    func `S-061: reads the committed state in a write block`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try await guarded(seconds: 60) {
            let chained = try store.writeSync { tx in
                try tx.insert(User.john)
                #expect(try store.count(User.self) == 0)
                #expect(try store.read { try $0.count(User.self) } == 0)
                #expect(try tx.count(User.self) == 1)
            }
            #expect(try chained.count(User.self) == 1)
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-061: writes in a read, which keeps its state`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try await guarded(seconds: 60) {
            let count = try store.read { state in
                try store.writeSync { try $0.insert(User.john) }
                return try state.count(User.self)
            }
            #expect(count == 0)
            #expect(try store.count(User.self) == 1)
        }
    }

    @Test(arguments: Medium.allCases)
    func `S-061: is refused if it writes in a write block`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        try await guarded(seconds: 60) {
            _ = try store.writeSync { tx in
                try tx.insert(User.john)
                #expect(code { try store.write { try $0.insert(User.jane) } } == .nestedWrite)
            }
        }
        #expect(try store.all(User.self) == [.john])
    }

    @Test(arguments: Medium.allCases)
    func `S-061: writes and reads in a completion`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let count = Monitor<Int?>(nil)
        store.writeAsync {
            try $0.insert(User.john)
        } completion: { _ in
            _ = try? store.write { try $0.insert(User.jane) }
            let found = try? store.count(User.self)
            count.change { $0 = found ?? -1 }
        }
        let found = await guarded(seconds: 60) { count.wait { $0 } }
        #expect(found == 2)
    }

    @Test(arguments: Medium.allCases)
    func `S-119: a write in a transaction is refused and the outer one commits`(medium: Medium)
        throws
    {
        let home = try Home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.insert(User.john)
            #expect(code { try store.writeSync { try $0.deleteAll(User.self) } } == .nestedWrite)
            try tx.insert(User.jane)
        }
        let again = try home.reopened(store)
        #expect(try again.count(User.self) == 2)
        #expect(again.sequence == 1)
    }
}

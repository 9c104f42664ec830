import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

private struct Guest: Entity, Equatable {
    var id: Int
    var email: String?
    var seat: Int?
    static let indexes: [Index<Guest>] = [.unique(\.email)]

    /// The entity before it had an index.
    struct Careless: Entity {
        var id: Int
        var email: String?
        static let entityName = "Guest"
    }

    /// The entity after its index was taken back.
    struct Relaxed: Entity {
        var id: Int
        var email: String?
        var seat: Int?
        static let entityName = "Guest"
        static let indexes: [Index<Relaxed>] = [.unique(\.seat)]
    }
}

extension Record {
    fileprivate static func guest(_ id: Int, _ email: String?, seat: Int? = nil) throws -> Record {
        var fields: NamedValues<FieldValue> = ["id": .integer(Int128(id))]
        if let email { fields["email"] = .text(email) }
        if let seat { fields["seat"] = .integer(Int128(seat)) }
        return try Record(entity: "Guest", id: RecordID(id), fields: fields)
    }
}

@Suite struct `A unique index that the log records` {
    private func home(_ medium: Medium) throws -> VersionedHome {
        let home = try VersionedHome(medium)
        try home.write(as: Guest.self) { tx in
            try tx.insert([Guest(id: 1, email: "a"), Guest(id: 2, email: "b"), Guest(id: 3)])
        }
        return home
    }

    @Test(arguments: Medium.allCases)
    func `refuses a value that another record has`(medium: Medium) throws {
        let home = try home(medium)
        var store = try home.open()
        for _ in 1...2 {
            let sequence = store.sequence
            let error = failure(as: StoreError.self) {
                try store.write { try $0.insert([.guest(4, "c"), .guest(5, "a")]) }
            }
            #expect(error?.code == .uniqueViolation)
            #expect(error?.place.ids == [RecordID(5)])
            let both = failure(as: StoreError.self) {
                try store.write { try $0.insert([.guest(4, "c"), .guest(5, "c")]) }
            }
            #expect(both?.place.ids == [RecordID(4), RecordID(5)])
            let update = code {
                try store.write { tx in
                    try tx.update("Guest", RecordID(2)) { $0["email"] = "a" }
                }
            }
            #expect(update == .uniqueViolation)
            #expect(store.sequence == sequence)
            try store.close()
            store = try home.open()
        }
        // No value is no duplicate, and a deleted record holds none.
        try store.write { try $0.insert(.guest(4, nil)) }
        try store.write { tx in
            try tx.delete("Guest", RecordID(1))
            try tx.insert(.guest(5, "a"))
        }
        try store.write { try $0.deleteAll("Guest") }
        try store.write { try $0.insert([.guest(6, "a"), .guest(7, "b")]) }
        try store.close()
        #expect(try home.open(Guest.self).all(Guest.self).map(\.id) == [6, 7])
    }

    @Test(arguments: Medium.allCases)
    func `lets a block swap values`(medium: Medium) throws {
        let home = try home(medium)
        let store = try home.open()
        try store.write { try $0.upsert([.guest(1, "b"), .guest(2, "a")]) }
        #expect(try store.record("Guest", RecordID(1))?["email"] == "b")
        #expect(try store.record("Guest", RecordID(2))?["email"] == "a")
    }

    @Test(arguments: Medium.allCases)
    func `refuses one of two concurrent blocks with the same value`(
        medium: Medium
    ) throws {
        let home = try home(medium)
        let store = try home.open()
        let error = failure(as: StoreError.self) {
            try store.writeConcurrently { tx in
                try tx.insert(.guest(5, "c"))
                // Another block commits first.
                inParallel(1, threads: 1) { _ in
                    let other = code {
                        try store.writeConcurrently { try $0.insert(.guest(6, "c")) }
                    }
                    #expect(other == nil)
                }
            }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.place.ids == [RecordID(5)])
        #expect(try store.record("Guest", RecordID(5)) == nil)
        #expect(try store.record("Guest", RecordID(6)) != nil)
    }

    @Test(arguments: Medium.allCases)
    func `concerns duplicates at the opening`(medium: Medium) throws {
        let home = try VersionedHome(medium)
        try home.write(as: Guest.Careless.self) { tx in
            try tx.insert((1...3).map { Guest.Careless(id: $0, email: $0 < 3 ? "a" : "b") })
        }
        var options = Store.Options()
        options.existingDuplicates = .report
        try home.write(as: Guest.self, options: options) { try $0.insert(Guest(id: 4)) }
        let refused = failure(as: StoreError.self) { _ = try home.open() }
        #expect(refused?.code == .uniqueViolation)
        #expect(refused?.place.ids == [RecordID(1), RecordID(2)])
        let store = try home.open(options: options)
        #expect(store.recovery.duplicates.map(\.ids) == [[RecordID(1), RecordID(2)]])
        try store.write { try $0.upsert(.guest(1, "a", seat: 7)) }
        #expect(code { try store.write { try $0.insert(.guest(5, "a")) } } == .uniqueViolation)
        try store.write { try $0.upsert(.guest(1, "c")) }
        try store.close()
        #expect(try home.open(Guest.self).count(Guest.self) == 4)
    }

    @Test(arguments: Medium.allCases)
    func `is the one that was recorded last`(medium: Medium) throws {
        let home = try home(medium)
        try home.write(as: Guest.Relaxed.self) { tx in
            try tx.insert(Guest.Relaxed(id: 4, email: "a", seat: 7))
        }
        let store = try home.open()
        try store.write { try $0.insert(.guest(5, "a")) }
        let taken = code { try store.write { try $0.insert(.guest(6, "z", seat: 7)) } }
        #expect(taken == .uniqueViolation)
    }

    @Test(arguments: [true, false])
    func `is known to a suspended store when it resumes`(isCheckpointed: Bool) throws {
        let home = try VersionedHome(.disk)
        let store = try home.open()
        try store.write { try $0.insert([.guest(1, "a"), .guest(2, "a")]) }
        try store.write { try $0.deleteAll("Guest") }
        store.suspend()
        let app = try home.open(Guest.self)
        try app.write { try $0.insert(Guest(id: 3, email: "a")) }
        if isCheckpointed { try app.close() } else { app.suspend() }
        try store.resume()
        #expect(code { try store.write { try $0.insert(.guest(4, "a")) } } == .uniqueViolation)
        try store.write { try $0.insert(.guest(4, "b")) }
        store.suspend()
        try store.resume()
        #expect(code { try store.write { try $0.insert(.guest(5, "b")) } } == .uniqueViolation)
        try store.close()
    }

    @Test(arguments: [true, false])
    func `is the one that another process has recorded meanwhile`(isCheckpointed: Bool) throws {
        let home = try home(.disk)
        let store = try home.open()
        store.suspend()
        let app = try home.open(Guest.Relaxed.self)
        try app.write { try $0.insert(Guest.Relaxed(id: 4, email: "a", seat: 7)) }
        if isCheckpointed { try app.close() } else { app.suspend() }
        try store.resume()
        try store.write { try $0.insert(.guest(5, "a")) }
        let taken = code { try store.write { try $0.insert(.guest(6, "z", seat: 7)) } }
        #expect(taken == .uniqueViolation)
        try store.close()
    }

    @Test(arguments: [true, false])
    func `does not keep a store suspended for duplicates`(isCheckpointed: Bool) throws {
        let home = try VersionedHome(.disk)
        let store = try home.open()
        try store.write { try $0.insert(.guest(1, "a")) }
        store.suspend()
        try home.write(as: Guest.Careless.self) { try $0.insert(Guest.Careless(id: 2, email: "a")) }
        var options = Store.Options()
        options.existingDuplicates = .report
        let app = try home.open(Guest.self, options: options)
        try app.write { try $0.insert(Guest(id: 3, email: "b")) }
        if isCheckpointed { try app.close() } else { app.suspend() }
        try store.resume()
        for taken in ["a", "b"] {
            let refusal = code { try store.write { try $0.insert(.guest(4, taken)) } }
            #expect(refusal == .uniqueViolation)
        }
        try store.write { try $0.insert(.guest(4, "c")) }
        try store.close()
        #expect(code { _ = try home.open() } == .uniqueViolation)
    }

    @Test func `ends with the history of the store`() throws {
        let home = try home(.disk)
        let store = try home.open()
        try store.nuke()
        try store.write { try $0.insert([.guest(1, "a"), .guest(2, "a")]) }
        #expect(store.snapshot.count("Guest") == 2)
    }
}

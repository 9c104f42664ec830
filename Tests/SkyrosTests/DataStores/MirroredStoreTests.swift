import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

private struct Reader: Entity, Equatable {
    var id: Int
    var email: String
    static let indexes: [Index<Reader>] = [.unique(\.email)]
}

private struct Loan: Entity, Equatable {
    var id: Int
    var reader: Ref<Reader>
    static let relations: [Relation<Loan>] = [.to(\.reader, onDelete: .deny)]
}

/// A mirror of a plain database, whose shadow has unique indexes.
@Suite struct `A mirrored store` {
    private let old: SQLiteStore
    private let new: Store
    private let data: MirroredStore
    private let reports = Locked<[StoreDifference]>([])

    init() throws {
        old = try SQLiteStore()
        new = try Store(inMemory: Reader.self, Loan.self)
        try old.transaction { tx in
            try tx.insert((1...3).map { Reader(id: $0, email: "old \($0)") })
        }
        let reports = reports
        data = MirroredStore(primary: old, shadow: new) { difference in
            reports.withLock { $0.append(difference) }
        }
    }

    private var reported: [String] { reports.withLock { $0.map(\.description) } }

    @Test func `writes both stores and reads the primary`() throws {
        try data.transaction(by: "ann") { try $0.insert(Reader(id: 4, email: "d")) }
        #expect(try data.count(Reader.self) == 4)
        #expect(try new.all(Reader.self).map(\.id) == [4])
        #expect(try Array(new.events()).map(\.metadata.actor) == ["ann"])
        let count = try data.transaction { try $0.deleteAll(Reader.self) }
        #expect(count == 4)
        #expect(try old.count(Reader.self) == 0)
        #expect(try new.count(Reader.self) == 0)
        #expect(reported.isEmpty)
    }

    @Test func `writes neither if the primary throws`() throws {
        try old.close()
        #expect(code { try data.transaction { tx in tx.upsert(try member(5)) } } == .closed)
        #expect(try new.count(Reader.self) == 0)
    }

    private func member(_ id: Int) throws -> Record {
        try Record(
            entity: "Reader", id: RecordID(id),
            fields: ["id": .integer(Int128(id)), "email": .text("\(id)")])
    }

    @Test func `reports what the shadow refuses, and continues`() throws {
        try data.transaction { try $0.insert(Reader(id: 4, email: "same")) }
        // Two records with one unique value: the plain database accepts them.
        try data.transaction { try $0.insert(Reader(id: 5, email: "same")) }
        #expect(try data.count(Reader.self) == 5)
        #expect(reported.count == 1)
        #expect(reported.first?.hasPrefix("Reader 5 is not in the shadow (uniqueViolation") == true)
        try data.transaction { try $0.update(Reader(id: 5, email: "other")) }
        #expect(reported.count == 1)
        #expect(try new.get(Reader.self, 5)?.email == "other")
    }

    @Test func `finds differences, brings the shadow up to date, and switches over`() throws {
        try new.write { tx in
            try tx.insert(Reader(id: 3, email: "wrong"))
            try tx.insert(Reader(id: 9, email: "extra"))
        }
        let found = try data.differences().map(\.description).sorted()
        #expect(
            found == [
                "Reader 1 is not in the shadow", "Reader 2 is not in the shadow",
                "Reader 3 differs in email", "Reader 9 is in the shadow only",
            ])
        #expect(try data.differences(limit: 2).count == 2)
        let refusal = failure(as: StoreError.self) { try data.switchOver() }
        #expect(refusal?.code == .storesDiffer)
        #expect(refusal?.place.ids.count == 4)
        #expect(data.primary as? SQLiteStore === old)
        #expect(try data.synchronize(by: "ann") == 4)
        #expect(try data.synchronize() == 0)
        #expect(try data.differences().isEmpty)
        try data.switchOver()
        #expect(data.primary as? Store === new)
        // The old store is kept up to date, so that the app can switch back.
        try data.transaction { try $0.insert(Reader(id: 4, email: "d")) }
        #expect(try new.get(Reader.self, 4) != nil)
        #expect(try old.get(Reader.self, 4) != nil)
        try data.switchOver()
        #expect(data.primary as? SQLiteStore === old)
    }

    @Test func `brings a unique value that another record has now`() throws {
        try data.synchronize()
        // The process ends between the two writes.
        try old.transaction { tx in
            try tx.delete(Reader.self, 1)
            try tx.insert(Reader(id: 4, email: "old 1"))
        }
        #expect(try data.synchronize() == 2)
        #expect(try new.all(Reader.self).map(\.id) == [2, 3, 4])
        #expect(try data.differences().isEmpty)
    }

    @Test func `brings unique values that were exchanged in more than a batch`() throws {
        let count = 1_200
        try old.transaction { tx in
            try tx.upsert((1...count).map { Reader(id: $0, email: "\($0)") })
        }
        try data.synchronize()
        try old.transaction { tx in
            try tx.upsert((1...count).map { Reader(id: $0, email: "\($0 % count + 1)") })
        }
        #expect(try data.synchronize() == count)
        #expect(try data.differences().isEmpty)
    }

    @Test func `brings a unique value although more records differ than an event holds`() throws {
        var options = Store.Options()
        options.eventBytesMax = 20_000
        let shadow = try Store(inMemory: Reader.self, options: options)
        let mirror = MirroredStore(primary: old, shadow: shadow)
        let count = 2_000
        try old.transaction { tx in
            try tx.upsert((1...count).map { Reader(id: $0, email: "old \($0)") })
        }
        #expect(try mirror.synchronize() == count)
        // The first record has the value that the last one had.
        try old.transaction { tx in
            try tx.upsert(
                (1...count).map { id in
                    Reader(id: id, email: id == 1 ? "old \(count)" : "new \(id)")
                })
        }
        #expect(try mirror.synchronize() == count)
        #expect(try mirror.differences().isEmpty)
    }

    @Test func `brings a unique value from a record to which others refer`() throws {
        try data.synchronize()
        try new.write { tx in
            try tx.insert([Reader(id: 8, email: "moved"), Reader(id: 9, email: "extra")])
            try tx.insert([Loan(id: 1, reader: Ref(8)), Loan(id: 2, reader: Ref(9))])
        }
        try old.transaction { tx in
            try tx.insert(Reader(id: 4, email: "moved"))
            try tx.insert(Loan(id: 1, reader: Ref(4)))
        }
        // Two are written; three are deleted, of which the second loan denies that of its reader.
        #expect(try data.synchronize() == 5)
        #expect(try new.all(Loan.self) == [Loan(id: 1, reader: Ref(4))])
        #expect(try data.differences().isEmpty)
    }

    @Test func `does not bring a unique value that two records of the primary have`() throws {
        try old.transaction { try $0.insert(Reader(id: 4, email: "old 1")) }
        #expect(code { try data.synchronize() } == .uniqueViolation)
    }

    @Test func `reports that all records may differ if the shadow can do nothing`() throws {
        let reports = reports
        let broken = MirroredStore(primary: old, shadow: BrokenStore()) { difference in
            reports.withLock { $0.append(difference) }
        }
        let count = try broken.transaction { try $0.deleteAll(Reader.self) }
        #expect(count == 3)
        #expect(reported == ["Reader cannot be compared (Broken())"])
        #expect(reports.withLock { $0[0].id } == nil)
        try broken.transaction { try $0.insert(Reader(id: 4, email: "d")) }
        #expect(reported.last == "Reader 4 cannot be compared (Broken())")
    }

    @Test(arguments: [(1, 1), (7, 7), (10, 10), (11, 10), (0, 0)])
    func `stops at the limit of the differences`(limit: Int, readCount: Int) throws {
        let many = SourceOfTen()
        let mirror = MirroredStore(primary: many, shadow: try SQLiteStore())
        #expect(try mirror.differences(limit: limit).count == readCount)
        #expect(many.readCount.withLock { $0 } == readCount)
    }

    @Test func `stops at the limit also if a back end wraps errors`() throws {
        let many = SourceOfTen(wrapsErrors: true)
        let mirror = MirroredStore(primary: many, shadow: try SQLiteStore())
        #expect(try mirror.differences(limit: 7).count == 7)
        #expect(many.readCount.withLock { $0 } == 7)
        let broken = MirroredStore(primary: many, shadow: BrokenStore())
        #expect(throws: Broken.self) { _ = try broken.differences(limit: 7) }
    }

    @Test func `refuses a transaction in a transaction`() throws {
        let error = failure(as: StoreError.self) {
            try data.transaction { _ in try data.transaction { try $0.deleteAll(Reader.self) } }
        }
        #expect(error?.code == .nestedWrite)
        #expect(try data.count(Reader.self) == 3)
    }
}

private struct Broken: Error {}

/// A back end that can do nothing.
private final class BrokenStore: DataStore {
    func entityNames() throws -> [String] { throw Broken() }
    func count(of entity: String) throws -> Int { throw Broken() }
    func record(_ entity: String, _ id: RecordID) throws -> Record? { throw Broken() }
    func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        throw Broken()
    }
    func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        throw Broken()
    }
    func flush() throws {}
    func close() throws {}
}

/// A back end with ten records, which counts how many were visited.
private final class SourceOfTen: DataStore {
    let readCount = Locked(0)
    private let wrapsErrors: Bool

    init(wrapsErrors: Bool = false) {
        self.wrapsErrors = wrapsErrors
    }

    func entityNames() -> [String] { ["Reader"] }
    func count(of entity: String) -> Int { 10 }
    func record(_ entity: String, _ id: RecordID) throws -> Record? {
        try Record(entity: entity, id: id, fields: ["id": 1])
    }
    func forEachRecord(of entity: String, _ body: (Record) throws -> Void) throws {
        for id in 1...10 {
            readCount.withLock { $0 += 1 }
            let record = try Record(entity: entity, id: RecordID(id), fields: ["id": 1])
            do { try body(record) } catch { throw wrapsErrors ? Broken() : error }
        }
    }
    func commit(_ metadata: Metadata, _ block: () throws -> [DataChange]) throws {
        _ = try block()
    }
    func flush() {}
    func close() {}
}

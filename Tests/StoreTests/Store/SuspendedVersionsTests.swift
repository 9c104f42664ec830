import Skyros
import TestSupport
import Testing

/// While a store is suspended, another version of its app writes.
@Suite(.mayHang) struct `A store that resumes after another version of the app` {
    private let home: VersionedHome

    init() throws { home = try VersionedHome(.disk) }

    /// How the other version leaves the files: with a checkpoint, or without.
    enum Ending: CaseIterable { case closed, abandoned }

    @Test(arguments: Ending.allCases)
    func `knows the unique values of the records that it has written (F67)`(
        _ ending: Ending
    ) throws {
        let store = try home.open(Ticket.Coded.self)
        store.suspend()
        let other = try home.open(Ticket.Numbered.self)
        try other.write { try $0.insert(Ticket.Numbered(id: 1, code: 5)) }
        if ending == .closed { try other.close() } else { other.suspend() }
        try store.resume()
        func insert(_ id: Int, _ code: String) throws {
            try store.write { try $0.insert(Ticket.Coded(id: id, code: code)) }
        }
        #expect(code { try insert(2, "5") } == .uniqueViolation)
        try insert(2, "6")
        try store.close()
        try home.open(Ticket.Coded.self).close()
    }

    private func unique(in store: Store) -> [[String]]? {
        store.snapshot.recordedSchemas["Ticket"]?.uniqueIndexes
    }

    @Test func `records its unique index again, which that version has taken back`() throws {
        let store = try home.open(Ticket.Unique.self)
        try store.write { try $0.insert(Ticket.Unique(id: 1, code: 1)) }
        store.suspend()
        try home.write(as: Ticket.Numbered.self) { tx in
            try tx.insert(Ticket.Numbered(id: 2, code: 2))
        }
        try store.resume()
        #expect(unique(in: store) == [])
        try store.write { try $0.insert(Ticket.Unique(id: 3, code: 3)) }
        #expect(unique(in: store) == [["code"]])
        try store.close()
    }

    @Test func `takes back the unique index that only that version has`() throws {
        let store = try home.open(Ticket.Numbered.self)
        try store.write { try $0.insert(Ticket.Numbered(id: 1, code: 1)) }
        store.suspend()
        try home.write(as: Ticket.Unique.self) { try $0.insert(Ticket.Unique(id: 2, code: 2)) }
        try store.resume()
        #expect(unique(in: store) == [["code"]])
        try store.write { try $0.insert(Ticket.Numbered(id: 3, code: 3)) }
        #expect(unique(in: store) == [])
        try store.close()
    }
}

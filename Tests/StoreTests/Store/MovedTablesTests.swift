import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct Member: Entity {
    var id: Int
    var team: Ref<Team>?
    static let relations: [Relation<Member>] = [.to(\.team, onDelete: .nullify)]
}

private struct Board: Entity {
    var id: Int
}

private struct Team: Entity, Equatable {
    var id: Int
    var name = ""
}

extension Record {
    fileprivate static func of(_ entity: String, _ id: Int) throws -> Record {
        try Record(
            entity: entity, id: RecordID(id),
            fields: ["id": .integer(Int128(id)), "name": "new"])
    }
}

/// A table without a type, which has another position after another process has written.
@Suite struct `A table that moves when the store resumes` {
    private let home: VersionedHome
    private let store: Store

    /// A store with a member. Of teams, it knows that members refer to them.
    init() throws {
        home = try VersionedHome(.disk)
        try home.write(as: Member.self, Team.self, Board.self) { try $0.insert(Member(id: 1)) }
        store = try home.open()
    }

    private var position: Int? {
        store.snapshot.tables.firstIndex { $0.entity == "Team" }
    }

    /// Lets the app write a team while the store is suspended, after a record of a new entity.
    private static func letAppWrite(at url: URL, beside store: Store) throws {
        store.suspend()
        let app = try Store(at: url, entities: Member.self, Team.self, Board.self)
        try app.write { try $0.insert(Board(id: 7)) }
        try app.write { try $0.insert(Team(id: 1)) }
        try app.close()
        try store.resume()
    }

    private func letAppWrite() throws {
        let before = position
        try Self.letAppWrite(at: home.directory.store, beside: store)
        #expect(before != nil && position != before)
    }

    /// What a concurrent block may ask about teams, of which there are none.
    enum Question: CaseIterable {
        case record, all, count, whole
    }

    /// The error of a concurrent block during which the app writes.
    private func conflict(_ block: (inout WriteTransaction) throws -> Void) -> StoreError? {
        let (url, store, before) = (home.directory.store, store, position)
        return failure(as: StoreError.self) {
            try store.writeConcurrently(retries: 0) { tx in
                try block(&tx)
                inParallel(1, threads: 1) { _ in
                    #expect(code { try Self.letAppWrite(at: url, beside: store) } == nil)
                }
                #expect(before != nil && position != before)
                try tx.insert(.of("Member", 2))
            }
        }
    }

    @Test(arguments: Question.allCases)
    func `conflicts with an insertion in it`(_ question: Question) throws {
        let error = conflict { tx in
            switch question {
            case .record: #expect(try tx.record("Team", RecordID(1)) == nil)
            case .all: #expect(try tx.all(Team.self) == [])
            case .count: #expect(try tx.count(Team.self) == 0)
            case .whole:
                let count = try tx.deleteAll("Team")
                #expect(count == 0)
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.place.entity == "Team")
        #expect(try store.record("Member", RecordID(2)) == nil)
    }

    @Test func `conflicts with no write that concerns other records`() throws {
        let error = conflict { tx in
            let (team, member) = try (
                tx.record("Team", RecordID(2)), tx.record("Member", RecordID(1))
            )
            #expect(team == nil && member != nil)
        }
        #expect(error == nil)
        #expect(store.snapshot.count("Member") == 2)
        #expect(store.snapshot.entities == ["Board", "Member", "Team"])
    }

    @Test func `is reached by changes of its table`() throws {
        var page = LivePage(FetchRequest<Team>(), on: .all, store.liveHub)
        #expect(try page.advance(to: store.snapshot) == [])
        try letAppWrite()
        // Before the query has run again.
        try store.write { try $0.insert(.of("Team", 2)) }
        #expect(page.inbox.signal.last == store.sequence)
        #expect(try page.advance(to: store.snapshot)?.map(\.id) == [1, 2])
        try store.write { try $0.insert(.of("Team", 3)) }
        #expect(try page.advance(to: store.snapshot)?.map(\.id) == [1, 2, 3])
        let runCount = page.runCount
        try store.write { try $0.insert(.of("Board", 8)) }
        #expect(page.inbox.signal.last < store.sequence)
        #expect(page.runCount == runCount)
    }

    @Test func `is reached by every change, if tables may have moved while it was read`() throws {
        let (hub, inbox) = (store.liveHub, LiveInbox())
        hub.register(inbox)
        let layout = hub.layout
        let table = try #require(position)
        try letAppWrite()
        hub.place(inbox, inTableAt: table, nil, in: layout)
        try store.write { try $0.insert(.of("Team", 2)) }
        #expect(inbox.signal.last == store.sequence)
        hub.place(inbox, inTableAt: try #require(position), nil, in: hub.layout)
        try store.write { try $0.insert(.of("Board", 8)) }
        #expect(inbox.signal.last < store.sequence)
    }
}

@Suite struct `A concurrent block in a store without types` {
    @Test func `conflicts with the first record of an entity that it has looked for`() throws {
        for isCounted in [false, true] {
            let store = try Store.untypedInMemory()
            try store.write { try $0.insert(.of("Board", 1)) }
            let error = failure(as: StoreError.self) {
                try store.writeConcurrently(retries: 0) { tx in
                    if isCounted {
                        #expect(try tx.count(Team.self) == 0)
                    } else {
                        #expect(try tx.all(Team.self) == [])
                    }
                    inParallel(1, threads: 1) { _ in
                        #expect(code { try store.write { try $0.insert(.of("Team", 1)) } } == nil)
                    }
                    try tx.insert(.of("Board", 2))
                }
            }
            #expect(error?.code == .conflict)
            #expect(store.snapshot.count("Board") == 1)
        }
    }

    @Test func `may query an entity that it has added`() throws {
        let store = try Store.untypedInMemory()
        try store.writeConcurrently(retries: 0) { tx in
            try tx.insert(.of("Team", 1))
            #expect(try tx.all(Team.self).map(\.id) == [1])
            #expect(try tx.count(Team.self) == 1)
        }
        #expect(store.snapshot.count("Team") == 1)
    }
}

@Suite struct `A stream of a store that resumes` {
    /// Returns once a task waits.
    private func letWait(_ signal: EventSignal) async {
        while signal.waiterCount == 0 { await Task.yield() }
    }

    @Test(.mayHang)
    func `waits on, if nobody has written meanwhile`() async throws {
        let home = try VersionedHome(.disk)
        let store = try home.open(Team.self)
        try await store.write { try $0.insert(Team(id: 1)) }
        let changes = store.changes()
        let event = Task {
            var events = changes.makeAsyncIterator()
            return try await events.next()?.sequence
        }
        await letWait(store.signal)
        store.suspend()
        try store.resume()
        #expect(store.signal.waiterCount == 1)
        try await store.write { try $0.insert(Team(id: 2)) }
        #expect(try await event.value == 2)
        try store.close()
    }

    @Test(.mayHang)
    func `waits on, if an event is noted that its result has already`() async {
        let signal = EventSignal(4)
        let hasFollowed = Task { await signal.wait(after: 5) }
        await letWait(signal)
        signal.raise(5)
        #expect(signal.waiterCount == 1)
        signal.raise(6)
        #expect(await hasFollowed.value)
    }
}

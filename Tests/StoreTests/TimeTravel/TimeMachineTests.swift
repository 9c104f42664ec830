import Foundation
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct TitledNote: Entity {
    static let entityName = "Note"
    var id: Int
    var text: String
    var title: String
}

private struct Postbox: Entity {
    var id: Int
    var address: String
    static let indexes: [Index<Postbox>] = [.unique(\.address)]
}

private struct NamedNote: Entity {
    static let entityName = "Note"
    var id: Int
    var name: String
    static let evolution: Evolution<NamedNote> = [.version(2) { .rename("text", to: "name") }]
}

@MainActor @Suite(.mayHang) struct `A time machine` {
    private let store: Store

    /// Events 1 to 9 write note 1, and event 10 deletes it.
    init() throws {
        store = try Store(on: SimulatedDisk(), entities: Note.self)
        for number in 1...9 {
            try store.write(by: "ada") { try $0.upsert(Note(id: 1, text: "\(number)")) }
        }
        try Self.delete(store)
    }

    nonisolated private static func delete(_ store: Store) throws {
        try store.write(by: "eve") { _ = try $0.delete(Note.self, 1) }
    }

    /// Events that give a note the numbers from 1 on as its text.
    nonisolated private static func write(_ count: Int, to id: Int, in store: Store) throws {
        for number in 1...count {
            try store.write { try $0.upsert(Note(id: id, text: "\(number)")) }
        }
    }

    nonisolated private static func prune(_ store: Store, before sequence: SequenceNumber) throws {
        let event = try #require(try store.event(sequence))
        _ = try #require(try store.prune(before: event.time.date))
    }

    private func text(_ machine: TimeMachine) throws -> String? {
        try machine.snapshot.get(Note.self, 1)?.text
    }

    @Test func `steps back and forth, at most to the ends`() throws {
        let machine = TimeMachine(store)
        #expect(machine.sequence == 10 && machine.range == 0...10)
        #expect(try text(machine) == nil && machine.event?.metadata.actor == "eve")
        try machine.step(-1)
        #expect(try text(machine) == "9" && machine.event?.metadata.actor == "ada")
        try machine.step(-4)
        #expect(try text(machine) == "5" && machine.position == .sequence(5))
        try machine.step(2)
        #expect(try text(machine) == "7")
        try machine.step(-100)
        #expect(try text(machine) == nil && machine.event == nil)
        #expect(machine.sequence == 0)
        try machine.step(.max)
        #expect(machine.sequence == 10)
    }

    @Test func `shows live queries at its moment`() async throws {
        let machine = TimeMachine(store)
        let query = store.live(Note.self)
        var iterator = query.at(machine).makeAsyncIterator()
        #expect(try await iterator.next()?.map(\.text) == [])
        try machine.step(-3)
        #expect(try await iterator.next()?.map(\.text) == ["7"])
        try await machine.move(to: .sequence(2))
        #expect(try await iterator.next()?.map(\.text) == ["2"])
        let result = LiveResult(query.at(machine))
        #expect(result.values.map(\.text) == ["2"])
        #expect(LiveResult(query.at(nil)).values == [])
    }

    @Test func `moves to the position that was set last`() async throws {
        let machine = TimeMachine(store)
        for number in [3, 7, 1, 4] as [UInt64] {
            machine.position = .sequence(SequenceNumber(rawValue: number))
        }
        while machine.isMoving { await Task.yield() }
        #expect(try text(machine) == "4" && machine.error == nil)
        machine.position = .sequence(99)
        while machine.isMoving { await Task.yield() }
        #expect(machine.sequence == 4 && machine.error?.code == .noSuchEvent)
        machine.position = .date(.distantFuture)
        while machine.isMoving { await Task.yield() }
        #expect(machine.sequence == 10 && machine.error == nil)
    }

    @Test func `restores a record as it was`() throws {
        let machine = TimeMachine(store)
        try machine.step(-3)
        let event = try machine.restore(Note.self, 1, by: "bob", because: "by mistake")
        #expect(event == 11 && store.sequence == 11)
        #expect(try store.get(Note.self, 1)?.text == "7")
        let metadata = try store.event(11)?.metadata
        #expect(metadata?.actor == "bob" && metadata?.reason == "by mistake")
        #expect(metadata?.tags["skyros.restored"] == "7")
        #expect(try machine.restore(Note.self, 1, by: "bob", because: "again") == nil)
        try machine.step(-100)
        #expect(try machine.restore(Note.self, 1, by: "bob", because: "never was") == 12)
        #expect(try store.get(Note.self, 1) == nil)
    }

    @Test func `ends its live queries when it is released`() async throws {
        var machine: TimeMachine? = TimeMachine(store)
        var iterator = store.live(Note.self).at(machine).makeAsyncIterator()
        _ = try await iterator.next()
        machine = nil
        #expect(try await iterator.next() == nil)
    }

    @Test func `steps from the position that was set, and moves back in time`() throws {
        let machine = TimeMachine(store)
        machine.position = .sequence(4)
        try machine.step(1)
        #expect(machine.sequence == 5)
        machine.position = .sequence(99)
        #expect(throws: StoreError(.noSuchEvent, "")) { try machine.step(1) }
        #expect(machine.sequence == 5)
        let moment = Moment.ago(.days(36_500))
        #expect(try store.snapshot(asOf: moment).sequence == 0)
        #expect(try store.snapshot(asOf: .ago(.seconds(-60))).sequence == 10)
        #expect(Duration.minutes(2) == .seconds(120) && Duration.hours(2) == .minutes(120))
    }

    @Test func `restores the fields that the type does not know`() throws {
        let disk = SimulatedDisk()
        let newer = try Store(on: disk, entities: TitledNote.self)
        try newer.write { try $0.insert(TitledNote(id: 1, text: "a", title: "b")) }
        try newer.write { _ = try $0.delete(TitledNote.self, 1) }
        try newer.close()
        let older = try Store(on: disk, entities: Note.self)
        let machine = TimeMachine(older)
        try machine.step(-1)
        try machine.restore(Note.self, 1, by: "ada", because: "needed")
        let record = try older.snapshot.record("Note", RecordID(.integer(1)))
        #expect(try record?.fields.values["title"] == FieldValue.text("b"))
    }

    @Test func `does not restore what a unique index refuses`() throws {
        let store = try Store(on: SimulatedDisk(), entities: Postbox.self)
        try store.write { try $0.insert(Postbox(id: 1, address: "a")) }
        try store.write { _ = try $0.delete(Postbox.self, 1) }
        try store.write { try $0.insert(Postbox(id: 2, address: "a")) }
        let machine = TimeMachine(store)
        try machine.step(-2)
        #expect(throws: StoreError(.uniqueViolation, "")) {
            try machine.restore(Postbox.self, 1, by: "ada", because: "by mistake")
        }
        #expect(try store.sequence == 3 && store.get(Postbox.self, 1) == nil)
    }

    @Test(arguments: Medium.allCases)
    func `restores a record in the shape that it had`(medium: Medium) throws {
        let home = try VersionedHome(medium)
        try home.write(as: Note.self) { try $0.insert(Note(id: 1, text: "first")) }
        let store = try home.open(NamedNote.self)
        try store.write { try $0.update(NamedNote.self, 1) { $0.name = "second" } }
        func version() -> Int? { store.snapshot.table("Note")?.row(RecordID(1))?.version }
        #expect(version() == 2)
        let machine = TimeMachine(store)
        try machine.step(-1)
        #expect(try machine.restore(NamedNote.self, 1, by: "ada", because: "needed") == 3)
        #expect(try store.get(NamedNote.self, 1)?.name == "first" && version() == 1)
        try store.close()
    }

    @Test func `moves on from a moment that was pruned`() async throws {
        var options = Store.Options()
        options.segmentBytesMax = 2_000
        let store = try Store(on: SimulatedDisk(), entities: Note.self, options: options)
        store.maintenance.stop()
        try Self.write(100, to: 1, in: store)
        let (stepping, jumping) = (TimeMachine(store), TimeMachine(store))
        for machine in [stepping, jumping] { try machine.step(-95) }
        var results = store.live(Note.self).at(stepping).makeAsyncIterator()
        #expect(try await results.next()?.map(\.text) == ["5"])
        try Self.prune(store, before: 60)
        let floor = store.firstSequence.advanced(by: -1)
        #expect(floor > 6 && stepping.range == floor...100)
        #expect(try stepping.event == nil && text(stepping) == "5")
        await #expect(throws: StoreError(.belowFloor, "")) {
            try await jumping.move(to: .sequence(4))
        }
        #expect(jumping.sequence == 5)
        try await jumping.move(to: .sequence(floor.next))
        #expect(try text(jumping) == "\(floor.next)" && jumping.event?.sequence == floor.next)
        try stepping.step(1)
        #expect(try stepping.sequence == floor && text(stepping) == "\(floor)")
        #expect(try await results.next()?.map(\.text) == ["\(floor)"])
        try stepping.step(1)
        #expect(try await results.next()?.map(\.text) == ["\(floor.next)"])
        try store.close()
    }

    @Test func `ends with the history that it shows`() async throws {
        let machine = TimeMachine(store)
        try machine.step(-3)
        let (query, erased) = (store.live(Note.self), StoreError(.erased, ""))
        var results = query.at(machine).makeAsyncIterator()
        #expect(try await results.next()?.map(\.text) == ["7"])
        try store.nuke()
        try Self.write(9, to: 2, in: store)
        // Also where nothing is read.
        for count in [1, 0] { #expect(throws: erased) { try machine.step(count) } }
        for moment in [.sequence(0), machine.position] as [Moment] {
            await #expect(throws: erased) { try await machine.move(to: moment) }
        }
        #expect(throws: erased) { try machine.event }
        #expect(throws: erased) {
            try machine.restore(Note.self, 1, by: "ada", because: "by mistake")
        }
        machine.position = .sequence(3)
        while machine.isMoving { await Task.yield() }
        #expect(machine.error?.code == .erased)
        #expect(try store.sequence == 9 && store.get(Note.self, 1) == nil)
        let result = LiveResult(query.at(machine))
        try #require(result.values.isEmpty && result.error?.code == .erased)
        var failure: StoreError?
        do { _ = try await results.next() } catch { failure = error }
        #expect(failure?.code == .erased)
        // One that is made now shows the new history.
        let next = TimeMachine(store)
        #expect(try next.sequence == 9 && next.event?.sequence == 9)
    }
}

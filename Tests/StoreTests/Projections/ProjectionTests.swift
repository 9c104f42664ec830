import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite(.serialized) struct `A projection` {
    private func write(_ store: Store, _ ids: some Sequence<Int>, _ text: String = "a") throws {
        for id in ids { try store.write { try $0.upsert(Note(id: id, text: text)) } }
    }

    @Test func `has the event of its snapshot`() throws {
        let store = try Store.projecting(on: SimulatedDisk(), Tally.self)
        #expect(try store.projection(Tally.self) == Tally())
        var states: [Snapshot] = []
        for id in 1...5 {
            try write(store, [id])
            states.append(store.snapshot)
        }
        for (index, state) in states.enumerated() {
            #expect(try state.projection(Tally.self).counts == ["a": index + 1])
        }
        // A block that changes nothing leaves no event.
        try store.write { try $0.delete(Note.self, 77) }
        #expect(try store.projection(Tally.self).eventCount == 5)
    }

    @Test func `is loaded from the checkpoint, and gets only the events after it`() throws {
        let disk = SimulatedDisk()
        var store = try Store.projecting(on: disk, Counted.self)
        try write(store, 1...10)
        try store.run(.checkpoint)
        try write(store, 11...13)
        let killed = disk.killed()
        let late = try Counted.events {
            store = try Store.projecting(on: killed, Counted.self)
        }
        #expect(late == [11, 12, 13])
        #expect(try store.projection(Counted.self).last == 13)
        try store.close()
        let none = try Counted.events { store = try Store.projecting(on: killed, Counted.self) }
        #expect(none == [])
        #expect(try store.projection(Counted.self).last == 13)
    }

    @Test func `that a process did not have gets what was written meanwhile`() throws {
        let disk = SimulatedDisk()
        var store = try Store.projecting(on: disk, Counted.self)
        try write(store, 1...10)
        try store.close()
        store = try Store.projecting(on: disk)
        try write(store, 11...12)
        try store.close()
        let late = try Counted.events { store = try Store.projecting(on: disk, Counted.self) }
        #expect(late == [11, 12])
    }

    @Test func `gets each event twice, so that nothing is copied`() throws {
        let store = try Store.projecting(on: SimulatedDisk(), CopyCounter.self)
        try write(store, 1...20)
        let copies = try CopyCounter.copies { try write(store, 21...40) }
        #expect(copies == 0)
        let state = store.snapshot
        let withReader = try CopyCounter.copies { try write(store, 41...60) }
        #expect(withReader == 1)
        #expect(try state.projection(CopyCounter.self).ids.values.count == 40)
        #expect(try store.projection(CopyCounter.self).ids.values == Array(1...60))
    }

    @Test func `is not part of states that are not the store's`() throws {
        let store = try Store.projecting(on: SimulatedDisk(), Tally.self)
        try write(store, 1...3)
        let past = try store.snapshot(asOf: .sequence(2))
        expect(.unknownProjection) { _ = try past.projection(Tally.self) }
        let child = store.fork()
        expect(.unknownProjection) { _ = try child.snapshot.projection(Tally.self) }
        try child.write { try $0.delete(Note.self, 1) }
        expect(.unknownProjection) { _ = try child.snapshot.projection(Tally.self) }
        expect(.unknownProjection) { _ = try store.projection(Counted.self) }
        try store.write { tx in
            #expect(try tx.snapshot.projection(Tally.self).eventCount == 3)
            try tx.delete(Note.self, 1)
            let state = try tx.snapshot
            expect(.unknownProjection) { _ = try state.projection(Tally.self) }
        }
        let plain = try Store(inMemory: Note.self)
        expect(.unknownProjection) { _ = try plain.projection(Tally.self) }
    }

    private func expect(
        _ code: StoreError.Code, at place: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        #expect(failure(as: StoreError.self, body)?.code == code, sourceLocation: place)
    }

    @Test func `that cannot be kept apart is refused`() {
        func open(_ types: [any Projection.Type]) throws {
            var options = Store.Options()
            options.projections = types
            _ = try Store(inMemory: Note.self, options: options)
        }
        expect(.invalidSchema) { try open([Tally.self, Tally.self]) }
        expect(.invalidSchema) { try open([Tally.self, SameName.self]) }
        expect(.invalidSchema) { try open([Reference.self]) }
        expect(.invalidSchema) { try open([Nameless.self]) }
        #expect(throws: Never.self) { try open([Tally.self, Counted.self]) }
    }

    @Test func `is the same as a fold of the log at each moment`() throws {
        let store = try Store.projecting(on: SimulatedDisk(), Tally.self)
        var values = [Tally()]
        for id in 1...30 {
            try write(store, [id % 7], "t\(id % 3)")
            values.append(try store.projection(Tally.self))
        }
        for (index, value) in values.enumerated() {
            let moment = Moment.sequence(SequenceNumber(rawValue: UInt64(index)))
            #expect(try store.projection(Tally.self, asOf: moment) == value)
        }
        #expect(try store.archive().projection(Tally.self) == values.last)
    }

    @Test func `is not part of the digest`() throws {
        let disks = (SimulatedDisk(), SimulatedDisk())
        let stores = try (
            Store.projecting(on: disks.0, Tally.self), Store.projecting(on: disks.1)
        )
        for store in [stores.0, stores.1] { try write(store, 1...5) }
        #expect(try stores.0.snapshot.digest() == stores.1.snapshot.digest())
        try stores.0.close()
        try stores.1.close()
        let digests = (try Archive(on: disks.0).verify(), try Archive(on: disks.1).verify())
        #expect(digests.0.digest == digests.1.digest && digests.0.ok)
    }

    @Test func `says what it costs`() throws {
        let clock = ManualClock()
        let store = try Store.projecting(on: SimulatedDisk(), Slow.self, clock: clock)
        Slow.clock.withLock { $0 = clock }
        try write(store, 1...10)
        try store.run(.checkpoint)
        let cost = try #require(store.statistics.projections.first)
        // The second instance gets each event, too, but for the last.
        #expect(cost.eventCount == 10 && cost.duration == .microseconds(19 * 7))
        #expect(cost.storedByteCount == (try CBOREncoder().encode(Slow()).count))
        #expect(store.statistics.recordCount == 10 && store.statistics.sequence == 10)
    }
}

/// Numbers in shared storage that is copied on write.
///
/// - Note: `@unchecked` because the storage is changed only while there is one reference to it.
private struct CountedIDs: Codable, @unchecked Sendable {
    final class Storage: Codable {
        var values: [Int] = []
    }

    static let copyCount = Locked(0)
    private var storage = Storage()

    var values: [Int] { storage.values }

    mutating func append(_ id: Int) {
        if !isKnownUniquelyReferenced(&storage) {
            Self.copyCount.withLock { $0 += 1 }
            let copy = Storage()
            copy.values = storage.values
            storage = copy
        }
        storage.values.append(id)
    }
}

private struct CopyCounter: Projection {
    var ids = CountedIDs()

    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Note.self) {
            if let id = try change.after?.id { ids.append(id) }
        }
    }

    static func copies(during body: () throws -> Void) rethrows -> Int {
        CountedIDs.copyCount.withLock { $0 = 0 }
        try body()
        return CountedIDs.copyCount.withLock { $0 }
    }
}

private struct SameName: Projection {
    static let projectionName = "Tally"
    mutating func apply(_ event: AppliedEvent) {}
}

private struct Nameless: Projection {
    static let projectionName = ""
    mutating func apply(_ event: AppliedEvent) {}
}

private final class Reference: Projection {
    init() {}
    func apply(_ event: AppliedEvent) {}
}

/// Takes seven microseconds for each event.
private struct Slow: Projection {
    static let clock = Locked<ManualClock?>(nil)
    mutating func apply(_ event: AppliedEvent) {
        Self.clock.withLock { $0?.advance(byMicroseconds: 7) }
    }
}

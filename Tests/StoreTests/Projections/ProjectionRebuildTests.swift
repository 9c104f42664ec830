import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct First: Projection, Equatable {
    static let projectionName = "Ids"
    var ids: [Int] = []
    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Note.self) { ids.append(try change.after?.id ?? -1) }
    }
}

/// Another version, whose building waits for a permit.
private struct Second: Projection, Equatable {
    static let projectionName = "Ids"
    static let projectionVersion = 2
    /// The last event that it may apply.
    static let gate = Monitor(UInt64.zero)
    static let applyCount = Locked(0)

    var sum = 0
    var count = 0

    mutating func apply(_ event: AppliedEvent) throws {
        Self.gate.wait { event.sequence.rawValue <= $0 ? () : nil }
        Self.applyCount.withLock { $0 += 1 }
        count += 1
        for change in try event.changes(of: Note.self) { sum += try change.after?.id ?? 0 }
    }

    static func open(_ isOpen: Bool) { open(through: isOpen ? .max : 0) }

    static func open(through last: UInt64) { gate.change { $0 = last } }
}

/// Cannot begin with a state.
private struct Whole: Projection {
    var count = 0
    mutating func apply(_ event: AppliedEvent) { count += 1 }
}

/// The same, of an app that came later.
private struct Later: Projection {
    var count = 0
    mutating func apply(_ event: AppliedEvent) { count += 1 }
}

@Suite(.serialized, .mayHang) struct `The rebuild of a projection` {
    private static let eventCount = ProjectionRebuilder.eventsMaxBeforeUse + 1

    /// A store with more events than are folded before it can be used.
    private static let large = Result {
        let disk = SimulatedDisk()
        let store = try Store.projecting(on: disk, First.self) { $0.segmentBytesMax = 1 << 20 }
        for number in 1...eventCount {
            // A record that is written as it was would be no event.
            try store.write { try $0.upsert(Note(id: number % 10, text: "\(number)")) }
        }
        try store.close()
        return disk
    }

    private func open(_ disk: SimulatedDisk, _ type: any Projection.Type) throws -> Store {
        try Store.projecting(on: disk, type) { $0.segmentBytesMax = 1 << 20 }
    }

    private func write(_ store: Store, _ note: Note) throws {
        try store.write { try $0.upsert(note) }
    }

    @Test func `takes place beside the writer`() async throws {
        let disk = try Self.large.get().killed()
        Second.open(false)
        let store = try open(disk, Second.self)
        let pending = try store.snapshot.projectionState(of: Second.self)
        #expect(pending == .pending)
        let error = failure(as: StoreError.self) { _ = try store.projection(Second.self) }
        #expect(error?.code == .projectionPending)
        for id in 1...5 { try write(store, Note(id: 100, text: "\(id)")) }
        Second.open(true)
        let value = try await store.projection(whenReady: Second.self)
        #expect(value.count == Self.eventCount + 5)
        try write(store, Note(id: 1, text: "more"))
        #expect(try store.projection(Second.self).count == Self.eventCount + 6)
        #expect(try store.projection(Second.self).sum == value.sum + 1)
        try store.close()
        let again = try open(disk, Second.self)
        #expect(try again.projection(Second.self).count == Self.eventCount + 6)
    }

    @Test func `ends when the store is closed, and begins again`() async throws {
        let disk = try Self.large.get().killed()
        Second.open(false)
        let store = try open(disk, Second.self)
        let waiting = Task { try await store.projection(whenReady: Second.self) }
        // Closing waits for the event that is being added.
        let closing = Task.detached { try store.close() }
        while !store.hasClosed { await Task.yield() }
        Second.open(true)
        try await closing.value
        let error = await waiting.result
        guard case .failure(let error) = error, (error as? StoreError)?.code == .closed else {
            Issue.record("\(error)")
            return
        }
        let again = try open(disk, Second.self)
        #expect(try await again.projection(whenReady: Second.self).count == Self.eventCount)
    }

    @Test func `continues with what a checkpoint has of it`() async throws {
        func open(_ disk: SimulatedDisk) throws -> Store {
            try Store.projecting(on: disk, Second.self) {
                $0.segmentBytesMax = 1 << 20
                $0.rebuildProgressEvents = 5_000
            }
        }
        let disk = try Self.large.get().killed()
        Second.applyCount.withLock { $0 = 0 }
        Second.open(through: 12_000)
        let store = try open(disk)
        while Second.applyCount.withLock({ $0 }) < 12_000 { await Task.yield() }
        try store.run(.checkpoint)
        let saved = disk.killed()
        let closing = Task.detached { try store.close() }
        while !store.hasClosed { await Task.yield() }
        Second.open(true)
        try await closing.value
        Second.applyCount.withLock { $0 = 0 }
        let again = try open(saved)
        let value = try await again.projection(whenReady: Second.self)
        #expect(value.count == Self.eventCount)
        #expect(Second.applyCount.withLock { $0 } == Self.eventCount - 10_000)
    }

    @Test func `is repeated by the next opening, if it was asked for and interrupted`() async throws
    {
        let disk = try Self.large.get().killed()
        Second.open(true)
        let store = try open(disk, Second.self)
        _ = try await store.projection(whenReady: Second.self)
        Second.open(false)
        try store.rebuild(Second.self)
        let again = try open(disk.killed(), Second.self)
        #expect(try again.snapshot.projectionState(of: Second.self) == .pending)
        Second.open(true)
        #expect(try await again.projection(whenReady: Second.self).count == Self.eventCount)
    }

    @Test func `ends with an erasure`() async throws {
        let disk = try Self.large.get().killed()
        Second.open(false)
        let store = try open(disk, Second.self)
        let waiting = Task { try await store.projection(whenReady: Second.self) }
        let erasing = Task.detached { try store.nuke() }
        while !store.session.isRetired, store.sequence > .zero { await Task.yield() }
        Second.open(true)
        try await erasing.value
        await #expect(throws: StoreError(.erased, "")) { try await waiting.value }
        #expect(try store.projection(Second.self) == Second())
    }

    @Test func `of a pruned store begins with the floor, or is refused`() throws {
        let clock = ManualClock()
        let disk = SimulatedDisk()
        func open(_ types: any Projection.Type...) throws -> Store {
            try Store.projecting(on: disk, clock: clock) { $0.projections = types }
        }
        var store = try open(Whole.self)
        for id in 1...200 {
            clock.advance(byMicroseconds: 1_000)
            try store.write { try $0.upsert(Note(id: id % 20, text: "t\(id % 3)")) }
        }
        #expect(try store.prune(before: store.snapshot.time.date) != nil)
        let floor = try #require(try store.floor)
        // What was built before stays.
        #expect(try store.projection(Whole.self).count == 200)
        try store.close()
        store = try open(Whole.self, Tally.self)
        #expect(try store.projection(Whole.self).count == 200)
        let tally = try store.projection(Tally.self)
        #expect(tally.start == floor.sequence.rawValue && tally.start > 0)
        #expect(try tally.fits(store.snapshot))
        // The floor has the value of then.
        try store.rebuild(Whole.self)
        #expect(try store.projection(Whole.self).count == 200)
        let past = try store.projection(Whole.self, asOf: .sequence(floor.sequence.next))
        #expect(past.count == Int(floor.sequence.rawValue) + 1)
        #expect(try store.prune(before: store.snapshot.time.date) == nil)
        for id in 1...200 {
            clock.advance(byMicroseconds: 1_000)
            try store.write { try $0.upsert(Note(id: id % 20, text: "u\(id % 3)")) }
        }
        #expect(try store.prune(before: store.snapshot.time.date) != nil)
        try store.close()
        try disk.remove(.checkpoint)
        store = try open(Whole.self)
        #expect(try store.projection(Whole.self).count == 400)
        #expect(try #require(try store.floor).sequence > floor.sequence)
        try store.close()
        // It had no value of a projection that the store did not have when it was pruned.
        store = try open(Later.self)
        let error = failure(as: StoreError.self) { _ = try store.projection(Later.self) }
        #expect(error?.code == .belowFloor)
        let then = failure(as: StoreError.self) {
            _ = try store.projection(Later.self, asOf: .sequence(store.sequence))
        }
        #expect(then?.code == .belowFloor)
    }
}

import Dispatch
import Foundation
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// Fails at a note with the text "bad", after it has changed its value.
private struct Picky: Projection, Equatable {
    var ids: [Int] = []

    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Note.self) {
            guard let note = try change.after else { continue }
            ids.append(note.id)
            if note.text == "bad" { throw Bad() }
        }
    }
}

private struct Bad: Error {}

/// The mended one.
private struct Tolerant: Projection, Equatable {
    static let projectionName = "Picky"
    static let projectionVersion = 2
    var ids: [Int] = []

    mutating func apply(_ event: AppliedEvent) throws {
        for change in try event.changes(of: Note.self) {
            if let id = try change.after?.id { ids.append(id) }
        }
    }
}

/// Cannot be encoded while `isBroken` is set.
private struct Unencodable: Projection {
    static let isBroken = Locked(true)
    var last: SequenceNumber = .zero

    init() {}

    init(from decoder: any Decoder) throws {
        last = SequenceNumber(rawValue: try decoder.singleValueContainer().decode(UInt64.self))
    }

    func encode(to encoder: any Encoder) throws {
        if Self.isBroken.withLock({ $0 }) { throw Bad() }
        var container = encoder.singleValueContainer()
        try container.encode(last.rawValue)
    }

    mutating func apply(_ event: AppliedEvent) { last = event.sequence }
}

/// Writes to the store in which it is.
private struct Writing: Projection {
    static let store = Locked<Store?>(nil)
    mutating func apply(_ event: AppliedEvent) throws {
        try Self.store.withLock { $0 }?.write { try $0.insert(Note(id: 1_000, text: "")) }
    }
}

@Suite(.serialized) struct `A projection that fails` {
    private let errors = Locked<[StoreError]>([])

    private func open(
        _ disk: SimulatedDisk, _ types: (any Projection.Type)...
    ) throws -> Store {
        let errors = errors
        return try Store.projecting(on: disk) { options in
            options.projections = types
            options.onError = { error in
                if let error = error as? StoreError { errors.withLock { $0.append(error) } }
            }
        }
    }

    /// The errors that were reported so far.
    private func reported(by store: Store) -> [StoreError] {
        store.resources.options.callbackQueue.sync {}
        return errors.withLock { $0 }
    }

    private func write(_ store: Store, _ id: Int, _ text: String = "good") throws {
        try store.write { try $0.upsert(Note(id: id, text: text)) }
    }

    @Test func `keeps its last value, and disturbs nothing else`() throws {
        let store = try open(SimulatedDisk(), Picky.self, Tally.self)
        try write(store, 1)
        try write(store, 2)
        let before = store.snapshot
        try write(store, 3, "bad")
        for id in 4...6 { try write(store, id) }
        guard
            case .failed(let found, let last) = try store.snapshot.projectionState(of: Picky.self)
        else {
            Issue.record("it has not failed")
            return
        }
        #expect(found.sequence == 3 && found.message == "Bad()")
        #expect(last == Picky(ids: [1, 2]))
        let error = failure(as: StoreError.self) { _ = try store.projection(Picky.self) }
        #expect(error?.code == .projectionFailed && error?.place.sequences == 3...3)
        #expect(try before.projection(Picky.self).ids == [1, 2])
        #expect(store.sequence == 6)
        #expect(try store.projection(Tally.self).fits(store.snapshot))
        #expect(reported(by: store).map(\.code) == [.projectionFailed])
    }

    @Test func `stays failed until its version is raised`() throws {
        let disk = SimulatedDisk()
        var store = try open(disk, Picky.self)
        try write(store, 1)
        try write(store, 2, "bad")
        try write(store, 3)
        try store.close()
        store = try open(disk, Picky.self)
        let state = try store.snapshot.projectionState(of: Picky.self)
        guard case .failed(let failure, last: Picky(ids: [1])) = state, failure.sequence == 2 else {
            Issue.record("\(state)")
            return
        }
        try store.close()
        store = try open(disk, Tolerant.self)
        #expect(try store.projection(Tolerant.self).ids == [1, 2, 3])
        try store.close()
        store = try open(disk, Picky.self)
        // Built anew, it fails again, with the value before.
        #expect(try store.snapshot.projectionState(of: Picky.self) == state)
        #expect(reported(by: store).map(\.code) == [.projectionFailed, .projectionFailed])
    }

    @Test func `is built again on demand`() throws {
        let store = try open(SimulatedDisk(), Picky.self, Tally.self)
        try write(store, 1, "bad")
        try store.rebuild(Picky.self)
        guard
            case .failed(let found, last: Picky(ids: [])) =
                try store.snapshot.projectionState(of: Picky.self), found.sequence == 1
        else {
            Issue.record("it has not failed again")
            return
        }
        try store.rebuild(Tally.self)
        #expect(try store.projection(Tally.self).fits(store.snapshot))
        for type in [Counted.self, Tolerant.self] as [any Projection.Type] {
            let unknown = failure(as: StoreError.self) { try rebuild(type, in: store) }
            #expect(unknown?.code == .unknownProjection)
        }
    }

    private func rebuild<P: Projection>(_ type: P.Type, in store: Store) throws {
        try store.rebuild(type)
    }

    @Test(arguments: [false, true])
    func `after its checkpoint keeps the value before, also below a floor`(isPruned: Bool) throws {
        let disk = SimulatedDisk()
        var store = try open(disk, Picky.self)
        for id in 1...50 { try write(store, id) }
        if isPruned { #expect(try store.prune(before: .distantFuture) != nil) }
        try store.run(.checkpoint)
        try write(store, 51)
        try write(store, 52, "bad")
        try write(store, 53)
        let state = try store.snapshot.projectionState(of: Picky.self)
        store = try open(disk.killed(), Picky.self)
        #expect(try store.snapshot.projectionState(of: Picky.self) == state)
        guard case .failed(let found, let last) = state, found.sequence == 52 else {
            Issue.record("\(state)")
            return
        }
        #expect(last?.ids == Array(1...51))
    }

    @Test func `is built again from a floor with the value before its failure`() throws {
        let store = try open(SimulatedDisk(), Picky.self)
        for id in 1...50 { try write(store, id) }
        #expect(try store.prune(before: .distantFuture) != nil)
        try write(store, 51)
        try write(store, 52, "bad")
        try write(store, 53)
        let state = try store.snapshot.projectionState(of: Picky.self)
        guard case .failed(let found, let last) = state, found.sequence == 52 else {
            Issue.record("\(state)")
            return
        }
        #expect(last?.ids == Array(1...51))
        try store.rebuild(Picky.self)
        #expect(try store.snapshot.projectionState(of: Picky.self) == state)
    }

    @Test func `that cannot be encoded is built from the log by the next opening`() throws {
        let disk = SimulatedDisk()
        Unencodable.isBroken.withLock { $0 = true }
        var store = try open(disk, Unencodable.self, Tally.self)
        for id in 1...5 { try write(store, id) }
        try store.close()
        #expect(reported(by: store).map(\.code) == [.notEncodable])
        Unencodable.isBroken.withLock { $0 = false }
        store = try open(disk, Unencodable.self, Tally.self)
        #expect(store.recovery.checkpoint == .loaded(5))
        #expect(try store.projection(Unencodable.self).last == 5)
        #expect(try store.projection(Tally.self).fits(store.snapshot))
    }

    @Test func `cannot write`() throws {
        let store = try open(SimulatedDisk(), Writing.self)
        Writing.store.withLock { $0 = store }
        defer { Writing.store.withLock { $0 = nil } }
        try write(store, 1)
        #expect(store.sequence == 1)
        guard case .failed(let failure, _) = try store.snapshot.projectionState(of: Writing.self)
        else {
            Issue.record("it could write")
            return
        }
        #expect(failure.message.contains("nestedWrite"))
    }
}

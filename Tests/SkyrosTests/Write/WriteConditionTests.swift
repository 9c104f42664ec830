import FoundationEssentials
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Seat: Entity, Equatable {
    var id: Int
    var course: Int
    var student = 0
    static let indexes: [Index<Seat>] = [.on(\.course)]
}

private struct Course: Entity, Equatable {
    var id: Int
    var capacity = 2
}

private struct Invoice: Entity, Equatable {
    var id: Int
    var cents = 0
}

private struct Subscribe: DomainCommand {
    var course: Int
}

@Suite(.long) struct `What a write was decided on` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Seat.self, Course.self, Invoice.self)
        try store.write { try $0.insert(Course(id: 1)) }
    }

    private var seen: SequenceNumber { store.sequence }

    private func refusal(
        _ condition: WriteCondition,
        _ block: ((inout WriteTransaction) throws -> Void)? = nil
    ) -> StoreError? {
        let before = store.sequence
        let block =
            block ?? { try $0.upsert(Invoice(id: 99, cents: Int(before.rawValue))) }
        let error = failure(as: StoreError.self) {
            try store.write(expecting: condition, block)
        }
        #expect(store.sequence == (error == nil ? before.next : before))
        return error
    }

    @Test func `is the last event of the store`() throws {
        let first = seen
        #expect(refusal(.sequence(first)) == nil)
        let error = refusal(.sequence(first))
        #expect(error?.code == .conflict)
        #expect(error?.place.sequences == first.next...first.next)
        #expect(refusal(.sequence(100))?.code == .noSuchEvent)
    }

    @Test func `is a record, or that there is none`() throws {
        let first = seen
        let (course, none) = (
            WriteCondition.unchanged(Course.self, id: 1, since: first),
            WriteCondition.unchanged(Course.self, id: 2, since: first)
        )
        #expect(refusal([course, none]) == nil)
        try store.write { try $0.update(Course.self, 1) { $0.capacity = 3 } }
        let error = refusal([none, course])
        #expect(error?.code == .conflict)
        #expect(error?.place.entity == "Course")
        #expect(error?.place.ids == [RecordID(1)])
        // Changed back is unchanged.
        try store.write { try $0.update(Course.self, 1) { $0.capacity = 2 } }
        #expect(refusal(course) == nil)
        try store.write { try $0.insert(Course(id: 2)) }
        #expect(refusal(none)?.place.ids == [RecordID(2)])
        #expect(refusal(.unchanged("Course", id: RecordID(2), since: first))?.code == .conflict)
        #expect(refusal(.unchanged("Course", id: RecordID(3), since: first)) == nil)
    }

    // Examples of dynamic consistency boundaries, see dcb.events; courses have their own file.

    @Test func `is the number of seats that are taken in a course`() throws {
        func subscribe(_ student: Int, since sequence: SequenceNumber) -> StoreError? {
            let request = FetchRequest<Seat>(where: \.course == 1)
            return refusal(.unchanged(request, since: sequence)) { tx in
                try tx.insert(Seat(id: student, course: 1, student: student))
            }
        }
        let first = seen
        #expect(subscribe(1, since: first) == nil)
        #expect(subscribe(2, since: first)?.code == .conflict)
        // Another course is another boundary.
        try store.write { try $0.insert(Seat(id: 3, course: 2)) }
        #expect(subscribe(2, since: first.next) == nil)
    }

    @Test func `is that a user's name is free`() throws {
        let request = FetchRequest<Seat>(where: \.student == 7)
        let first = seen
        #expect(
            refusal(.unchanged(request, since: first)) {
                try $0.insert(Seat(id: 7, course: 1, student: 7))
            } == nil)
        #expect(
            refusal(.unchanged(request, since: first)) {
                try $0.insert(Seat(id: 8, course: 1, student: 7))
            }?.place.ids == [RecordID(7)])
    }

    @Test func `is the last number of an invoice`() throws {
        let last = FetchRequest<Invoice>(sortedBy: [.descending(\.id)], limit: 1)
        try store.write { try $0.insert([Invoice(id: 1), Invoice(id: 2)]) }
        let state = store.snapshot
        let next = try #require(state.fetch(last).first).id + 1
        // An earlier one may change.
        try store.write { try $0.update(Invoice.self, 1) { $0.cents = 5 } }
        let condition = WriteCondition.unchanged(last, since: state.sequence)
        #expect(refusal(condition) { try $0.insert(Invoice(id: next)) } == nil)
        #expect(refusal(condition) { try $0.insert(Invoice(id: next)) }?.code == .conflict)
    }

    @Test func `is not asked about a request that was submitted twice`() throws {
        let first = seen
        for attempt in 1...2 {
            let receipt = try store.write(
                once: "request 1", intent: Subscribe(course: 1), expecting: .sequence(first)
            ) { try $0.insert(Seat(id: 1, course: 1)) }
            #expect(receipt.sequence == first.next && receipt.isRepeated == (attempt == 2))
        }
        #expect(seen == first.next)
        let error = failure(as: StoreError.self) {
            try store.write(once: "request 1", intent: Subscribe(course: 2)) { _ in }
        }
        #expect(error?.code == .conflict && error?.place.sequences == 2...2)
    }

    @Test func `is that no event has a tag or an intent`() throws {
        let first = seen
        let tagged = WriteCondition.noEvent(tags: ["request": "r1"], since: first)
        let intended = WriteCondition.noEvent(intent: Subscribe.commandName, since: first)
        let both = WriteCondition.noEvent(
            tags: ["request": "r1"], intent: Subscribe.commandName, since: first)
        #expect(refusal([tagged, intended, both]) == nil)
        try store.write(metadata: Metadata(tags: ["request": "r1"])) {
            try $0.insert(Invoice(id: 5))
        }
        #expect(refusal(tagged)?.place.sequences == 3...3)
        #expect(refusal([intended, both]) == nil)
        let metadata = Metadata(tags: ["request": "r1"])
        try store.write(metadata: metadata, intent: Subscribe(course: 1)) { _ in }
        #expect(refusal(both)?.place.sequences == 5...5)
        #expect(refusal(intended)?.code == .conflict)
        #expect(refusal(.noEvent(since: seen)) == nil)
        #expect(refusal(.noEvent(since: first))?.place.sequences == first.next...first.next)
        #expect(refusal(.noEvent(since: 100))?.code == .noSuchEvent)
    }

    @Test func `is refused if it cannot be`() throws {
        struct Other: Entity { var id: Int }
        #expect(refusal(.unchanged(Other.self, id: 1, since: seen))?.code == .unknownEntity)
        #expect(refusal(.unchanged("Nope", id: RecordID(1), since: 0))?.code == .unknownEntity)
        #expect(refusal(.unchanged(FetchRequest<Other>(), since: 0))?.code == .unknownEntity)
        #expect(refusal(.unchanged(Course.self, id: 1, since: 77))?.code == .noSuchEvent)
        let future = SequenceNumber(rawValue: .max)
        for condition in [
            WriteCondition.unchanged(Course.self, id: 1, since: future),
            .unchanged("Course", id: RecordID(1), since: future),
            .unchanged(FetchRequest<Course>(), since: future), .sequence(future),
            .noEvent(since: future),
        ] {
            #expect(refusal(condition)?.code == .noSuchEvent)
        }
        #expect(refusal([]) == nil)
    }

    @Test func `is refused if the state of then was pruned`() throws {
        var options = Store.Options()
        options.segmentBytesMax = 2_000
        let store = try Store(on: SimulatedDisk(), entities: Course.self, options: options)
        for number in 1...100 {
            try store.write { try $0.upsert(Course(id: 1, capacity: number)) }
        }
        _ = try #require(try store.prune(before: .distantFuture))
        for condition in [
            WriteCondition.unchanged(Course.self, id: 1, since: 2),
            .unchanged("Course", id: RecordID(1), since: 2),
            .unchanged(FetchRequest<Course>(), since: 2),
        ] {
            #expect(code { try store.write(expecting: condition) { _ in } } == .belowFloor)
        }
        #expect(store.sequence == 100)
        try store.close()
    }

    @Test func `is checked in every form of a write, before the block`() async throws {
        let stale = WriteCondition.sequence(0)
        func never(_ tx: inout WriteTransaction) throws { Issue.record("the block ran") }
        #expect(code { try store.write(expecting: stale, never) } == .conflict)
        #expect(code { try store.writeSync(expecting: stale, never) } == .conflict)
        #expect(code { try store.writeWithReceipt(expecting: stale, never) } == .conflict)
        await #expect(throws: StoreError(.conflict, "")) {
            try await store.write(expecting: stale) { _ in Issue.record("the block ran") }
        }
        let result = await withCheckedContinuation { continuation in
            store.writeAsync(expecting: stale) { _ in
                Issue.record("the block ran")
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(throws: StoreError(.conflict, "")) { try result.get() }
        let concurrent = code { try store.writeConcurrently(expecting: stale, never) }
        #expect(concurrent == .conflict)
        #expect(store.sequence == 1)
    }

    @Test func `is checked again when a concurrent block is committed`() throws {
        let last = store.sequence
        let concurrent = code {
            try store.writeConcurrently(expecting: .sequence(last)) { tx in
                inParallel(1, threads: 1) { _ in
                    try? store.write { try $0.insert(Invoice(id: 1)) }
                }
                try tx.insert(Course(id: 9))
            }
        }
        #expect(concurrent == .conflict)
        #expect(try store.get(Course.self, 9) == nil)
    }

    @Test func `is the same answer, whatever has changed`() throws {
        try store.write { tx in try tx.insert((1...6).map { Invoice(id: $0) }) }
        let seen = store.snapshot
        let page = FetchRequest<Invoice>(sortedBy: [.ascending(\.id)], offset: 2, limit: 2)
        try store.write { try $0.update(Invoice.self, 1) { $0.cents = 1 } }
        #expect(refusal(.unchanged(page, since: seen)) == nil)
        #expect(refusal(.unchanged(page, since: seen.sequence)) == nil)
        try store.write { try $0.delete(Invoice.self, 1) }
        #expect(refusal(.unchanged(page, since: seen))?.place.ids == [RecordID(1)])
    }

    @Test func `is a state that was seen`() throws {
        let seen = store.snapshot
        let seats = FetchRequest<Seat>(where: \.course == 1)
        let conditions: [WriteCondition] = [
            .unchanged(Course.self, id: 1, since: seen),
            .unchanged("Course", id: RecordID(1), since: seen), .unchanged(seats, since: seen),
        ]
        #expect(conditions.allSatisfy { refusal($0) == nil })
        try store.write {
            try $0.update(Course.self, 1) { $0.capacity = 3 }
            try $0.insert(Seat(id: 1, course: 1))
        }
        for condition in conditions { #expect(refusal(condition)?.code == .conflict) }
        let other = try Store(inMemory: Seat.self, Course.self, Invoice.self)
        #expect(refusal(.unchanged(seats, since: other.snapshot))?.code == .conflict)
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 2, quick: 5, deep: 100)))
    func `holds exactly if its answer is the same`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        for _ in 0..<150 {
            if random.below(4) == 0 {
                // What came before is not known as a recent change.
                try store.write { try $0.upsert(Invoice(id: 1)) }
                try store.write { try $0.deleteAll(Invoice.self) }
            }
            try store.write { tx in
                let id = random.below(12)
                if random.below(3) == 0 {
                    try tx.delete(Seat.self, id)
                } else {
                    try tx.upsert(
                        Seat(id: id, course: random.below(3), student: random.below(2)))
                }
            }
            let since = SequenceNumber(
                rawValue: store.sequence.rawValue
                    - min(UInt64(random.below(4)), store.sequence.rawValue))
            let past = try store.snapshot(asOf: .sequence(since))
            let request = FetchRequest<Seat>(
                where: \.course == random.below(3), sortedBy: [.ascending(\.student)],
                limit: random.below(2) == 0 ? nil : random.below(3))
            let isSame = try past.fetch(request) == store.fetch(request)
            #expect((refusal(.unchanged(request, since: since)) == nil) == isSame, "\(request)")
            let id = random.below(12)
            let isSameRecord = try past.get(Seat.self, id) == store.get(Seat.self, id)
            #expect(
                (refusal(.unchanged(Seat.self, id: id, since: since)) == nil) == isSameRecord)
        }
    }
}

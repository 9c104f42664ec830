import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Course: Entity {
    var id: Int
    var capacity: Int
}

private struct Subscription: Entity {
    var id: Int
    var course: Int
    var student: Int
    static let indexes: [Index<Subscription>] = [.on(\.course), .on(\.student)]
}

private struct Subscribe: DomainCommand {
    var course: Int
    var student: Int
}

/// The example "course subscriptions" of dcb.events: what is decided on spans a course and a
/// student, and neither is locked.
private struct School {
    enum Refusal: Error, Equatable {
        case noSuchCourse, isFull, isSubscribed, hasTooMany
    }

    static let coursesMax = 3
    let store: Store

    init() throws {
        store = try Store(inMemory: Course.self, Subscription.self)
    }

    /// - Parameter meanwhile: what others do after the first decision, and before its write.
    func subscribe(
        _ student: Int, to course: Int, meanwhile: () throws -> Void = {}
    ) throws {
        var isFirst = true
        while true {
            let seen = store.snapshot
            let inCourse = FetchRequest<Subscription>(where: \.course == course)
            let ofStudent = FetchRequest<Subscription>(where: \.student == student)
            guard let found = try seen.get(Course.self, course) else { throw Refusal.noSuchCourse }
            let own = try seen.fetch(ofStudent)
            guard !own.contains(where: { $0.course == course }) else { throw Refusal.isSubscribed }
            guard own.count < Self.coursesMax else { throw Refusal.hasTooMany }
            guard try seen.fetch(inCourse).count < found.capacity else { throw Refusal.isFull }
            let decision: WriteCondition = [
                .unchanged(Course.self, id: course, since: seen),
                .unchanged(inCourse, since: seen), .unchanged(ofStudent, since: seen),
            ]
            if isFirst { try meanwhile() }
            isFirst = false
            do {
                try store.write(
                    intent: Subscribe(course: course, student: student), expecting: decision
                ) { tx in
                    try tx.insert(
                        Subscription(
                            id: student * 1_000 + course, course: course, student: student))
                }
                return
            } catch let error as StoreError where error.code == .conflict {
                continue
            }
        }
    }

    /// Allows fewer students in a course, unless it has more.
    func limit(_ course: Int, to capacity: Int) throws {
        let seen = store.snapshot
        let inCourse = FetchRequest<Subscription>(where: \.course == course)
        guard try seen.fetch(inCourse).count <= capacity else { return }
        try store.write(expecting: .unchanged(inCourse, since: seen)) { tx in
            try tx.update(Course.self, course) { $0.capacity = capacity }
        }
    }

    /// Whether no course and no student has too many.
    static func isRight(_ state: Snapshot) throws -> Bool {
        let all = try state.all(Subscription.self)
        let courses = Dictionary(grouping: all, by: \.course)
        let students = Dictionary(grouping: all, by: \.student)
        return try state.all(Course.self).allSatisfy {
            courses[$0.id]?.count ?? 0 <= $0.capacity
        } && students.values.allSatisfy { $0.count <= coursesMax }
    }
}

@Suite(.long) struct `Course subscriptions` {
    private let school: School

    init() throws {
        school = try School()
        try school.store.write { tx in
            for id in 1...5 { try tx.insert(Course(id: id, capacity: 2)) }
        }
    }

    private func refusal(_ body: () throws -> Void) -> School.Refusal? {
        failure(as: School.Refusal.self, body)
    }

    @Test func `are refused for a course or a student`() throws {
        for student in 1...2 { try school.subscribe(student, to: 1) }
        #expect(refusal { try school.subscribe(1, to: 9) } == .noSuchCourse)
        #expect(refusal { try school.subscribe(1, to: 1) } == .isSubscribed)
        #expect(refusal { try school.subscribe(3, to: 1) } == .isFull)
        try school.subscribe(1, to: 2)
        try school.subscribe(1, to: 3)
        #expect(refusal { try school.subscribe(1, to: 4) } == .hasTooMany)
    }

    @Test func `are decided again if the last seat is taken meanwhile`() throws {
        try school.subscribe(1, to: 1)
        let error = refusal {
            try school.subscribe(2, to: 1) { try school.subscribe(3, to: 1) }
        }
        #expect(error == .isFull)
        let store = school.store
        #expect(
            try store.all(Subscription.self, where: \.course == 1).map(\.student).sorted() == [
                1, 3,
            ])
    }

    @Test func `are decided again if the student or the course changes meanwhile`() throws {
        for course in 1...2 { try school.subscribe(1, to: course) }
        #expect(
            refusal { try school.subscribe(1, to: 3) { try school.subscribe(1, to: 4) } }
                == .hasTooMany)
        #expect(
            refusal { try school.subscribe(2, to: 5) { try school.limit(5, to: 0) } } == .isFull)
    }

    @Test func `do not wait for those of other courses and students`() throws {
        let before = school.store.sequence
        try school.subscribe(1, to: 1) { try school.subscribe(2, to: 2) }
        // The first decision holds, so it is written at the first try.
        let events = try Array(school.store.events(before.next...))
        #expect(events.map(\.sequence) == [before.next, before.next.next])
        #expect(try School.isRight(school.store.snapshot))
    }

    @Test func `keep to all limits on many threads`() throws {
        let school = school
        inParallel(Extent.pick(brief: 100, quick: 400, deep: 20_000), threads: 4) { number in
            var random = RandomSource(seed: UInt64(number))
            let (student, course) = (random.below(6), 1 + random.below(5))
            do {
                switch random.below(5) {
                case 0: try school.limit(course, to: 1 + random.below(3))
                case 1:
                    try school.store.write {
                        try $0.delete(Subscription.self, student * 1_000 + course)
                    }
                default: try school.subscribe(student, to: course)
                }
            } catch is School.Refusal {
                // It is right to refuse.
            } catch {
                let isConflict = (error as? StoreError)?.code == .conflict
                #expect(isConflict, "\(error)")
            }
        }
        try Replay(of: school.store)
            .checking("no course and no student has too many") { state, _ in
                try School.isRight(state)
            }
            .run()
    }
}

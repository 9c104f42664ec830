import Foundation
import Skyros
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A stream of changes` {
    @Test(arguments: Medium.allCases)
    func `S-125: has the values before and after each change`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let stream = store.changes()
        let reader = Task {
            var events: [Event] = []
            for try await event in stream {
                events.append(event)
                if events.count == 3 { break }
            }
            return events
        }
        let id = User.john.id
        try await store.write { try $0.insert(User.john) }
        try await store.write { tx in try tx.update(User.self, id) { $0.age = 41 } }
        try await store.write { try $0.delete(User.self, id) }
        let events = try await reader.value
        #expect(events.map(\.sequence) == [1, 2, 3])
        guard case .inserted(let first) = events[0].changes[0],
            case .updated(let entity, let updated, let before, let after) = events[1].changes[0],
            case .deleted(let last) = events[2].changes[0]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(try first.decode(as: User.self) == .john)
        #expect(entity == "User")
        #expect(updated == RecordID(id))
        #expect(
            try FieldChange.list(before: before, after: after).map(\.description)
                == ["age: 40 → 41"])
        #expect(last["age"] == 41)
    }

    @Test(arguments: Medium.allCases)
    func `S-126: does not keep its store and ends with it`(medium: Medium) async throws {
        let home = try Home(medium)
        weak var released: Store?
        let stream: EventStream
        do {
            let store = try home.open()
            stream = store.changes()
            released = store
            #expect(released != nil)
        }
        #expect(released == nil)
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: Medium.allCases)
    func `S-126: ends with the task that reads it`(medium: Medium) async throws {
        let home = try Home(medium)
        let store = try home.open()
        let stream = store.changes()
        let reader = Task {
            var count = 0
            for try await _ in stream { count += 1 }
            return count
        }
        reader.cancel()
        #expect(try await reader.value == 0)
        try await store.write { try $0.insert(User.john) }
    }
}

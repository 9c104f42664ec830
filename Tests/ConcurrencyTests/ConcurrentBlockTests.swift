import Foundation
import Skyros
import SkyrosDisk
import TestSupport
import Testing

/// A doctor, of whom one must be on call.
private struct Doctor: Entity, Equatable {
    var id: String
    var isOnCall = true
}

/// A slot of a room; two must not overlap.
private struct Booking: Entity, Equatable {
    var id: String
    var room: Int
    var hour: Int
    static let indexes: [Index<Booking>] = [.on(\.room, \.hour)]
}

@Suite struct `A concurrent write block` {
    private func store() throws -> Store {
        try Store(inMemory: Doctor.self, Booking.self, Note.self)
    }

    /// Runs `other` once, at the end of the block's first run, on another thread.
    private final class Intruder: Sendable {
        private let hasRun = Locked(false)
        private let runs = Locked(0)
        private let body: @Sendable () throws -> Void

        init(_ body: @escaping @Sendable () throws -> Void) {
            self.body = body
        }

        var runCount: Int { runs.withLock { $0 } }

        func intrude() {
            runs.withLock { $0 += 1 }
            let isFirst = hasRun.withLock { hasRun in
                defer { hasRun = true }
                return !hasRun
            }
            if isFirst { inParallel(1, threads: 1) { _ in try? self.body() } }
        }
    }

    /// Whether a block with these reads is run again if another write comes between.
    private func isRunAgain(
        _ store: Store, _ read: (inout WriteTransaction) throws -> Void,
        beside other: @escaping @Sendable (inout WriteTransaction) throws -> Void
    ) throws -> Bool {
        let intruder = Intruder { try store.write(other) }
        try store.writeConcurrently { tx in
            try read(&tx)
            intruder.intrude()
            try tx.upsert(Note(id: 1_000, text: "\(intruder.runCount)"))
        }
        #expect(try store.get(Note.self, 1_000)?.text == "\(intruder.runCount)")
        return intruder.runCount > 1
    }

    // MARK: Anomalies

    @Test func `cannot take the last doctor off call (write skew, F51)`() throws {
        let store = try store()
        try store.write { try $0.insert([Doctor(id: "ann"), Doctor(id: "bob")]) }
        @Sendable func leave(_ id: String, _ tx: inout WriteTransaction) throws {
            guard try tx.count(Doctor.self, where: \.isOnCall == true) > 1 else { return }
            try tx.update(Doctor.self, id) { $0.isOnCall = false }
        }
        let intruder = Intruder { try store.write { tx in try leave("bob", &tx) } }
        try store.writeConcurrently { tx in
            try leave("ann", &tx)
            intruder.intrude()
        }
        #expect(intruder.runCount == 2)
        #expect(try store.all(Doctor.self, where: \.isOnCall == true).map(\.id) == ["ann"])
    }

    @Test func `cannot book a room twice (phantom, F51)`() throws {
        let store = try store()
        @Sendable func book(_ id: String, _ tx: inout WriteTransaction) throws {
            let taken = try tx.all(
                Booking.self, where: \.room == 1 && \.hour >= 9 && \.hour < 11)
            guard taken.isEmpty else { return }
            try tx.insert(Booking(id: id, room: 1, hour: 10))
        }
        let intruder = Intruder { try store.write { tx in try book("b", &tx) } }
        try store.writeConcurrently { tx in
            try book("a", &tx)
            intruder.intrude()
        }
        #expect(try store.all(Booking.self).map(\.id) == ["b"])
    }

    // MARK: What conflicts

    @Test func `is run again if a record that it read was changed, inserted or deleted`() throws {
        let store = try store()
        try store.write { try $0.insert([Note(id: 1, text: "a"), Note(id: 2, text: "b")]) }
        #expect(
            try isRunAgain(store, { _ = try $0.get(Note.self, 1) }) { tx in
                try tx.update(Note.self, 1) { $0.text = "c" }
            })
        #expect(
            try isRunAgain(store, { _ = try $0.exists(Note.self, 3) }) { tx in
                try tx.insert(Note(id: 3, text: "d"))
            })
        #expect(
            try isRunAgain(store, { _ = try $0.withValue(of: Note.self, 2) { $0.text.count } }) {
                _ = try $0.delete(Note.self, 2)
            })
        #expect(
            try isRunAgain(store, { _ = try $0.delete(Note.self, 4) }) { tx in
                try tx.insert(Note(id: 4, text: "e"))
            })
        #expect(
            try isRunAgain(store, { try $0.upsert(Note(id: 5, text: "mine")) }) { tx in
                try tx.insert(Note(id: 5, text: "other"))
            })
        #expect(
            try isRunAgain(store, { _ = try $0.deleteAll(Doctor.self) }) { tx in
                try tx.insert(Doctor(id: "zoe"))
            })
    }

    @Test func `is run again if a record enters, leaves or changes within a query`() throws {
        let store = try store()
        try store.write { tx in
            for hour in 0..<20 { try tx.insert(Booking(id: "\(hour)", room: hour % 2, hour: hour)) }
        }
        let within: Filter<Booking> = \.hour >= 5 && \.hour < 10
        let predicate = #Predicate<Booking> { $0.hour >= 5 && $0.hour < 10 }
        let test = Filter<Booking> { (5..<10).contains($0.hour) }
        let recordReads: [(inout WriteTransaction) throws -> Void] = [
            { _ = try $0.all(Booking.self, where: within) },
            { _ = try $0.all(Booking.self, where: predicate) },
            { _ = try $0.all(Booking.self, where: test) },
            { _ = try $0.first(Booking.self, where: within) },
            { _ = try $0.fetchReadable(FetchRequest<Booking>(where: \.hour == 7)) },
            { _ = try $0.snapshot.records("Booking") },
        ]
        let countReads: [(inout WriteTransaction) throws -> Void] = [
            { _ = try $0.count(Booking.self, where: within) },
            { _ = try $0.delete(Booking.self, where: within) },
        ]
        for (from, to) in [(nil, 5), (50, 5), (5, 50), (5, nil)] as [(Int?, Int?)] {
            for read in recordReads + countReads {
                #expect(try isMoveSeen(store, by: read, from, to))
            }
        }
        for read in recordReads { #expect(try isMoveSeen(store, by: read, 5, 6)) }
    }

    /// Whether a block is run again if a booking moves from one hour to another; nil is none.
    private func isMoveSeen(
        _ store: Store, by read: (inout WriteTransaction) throws -> Void, _ from: Int?, _ to: Int?
    ) throws -> Bool {
        @Sendable func set(_ hour: Int?, _ tx: inout WriteTransaction) throws {
            if let hour {
                try tx.upsert(Booking(id: "05", room: 7, hour: hour))
            } else {
                try tx.delete(Booking.self, "05")
            }
        }
        try store.write { tx in try set(from, &tx) }
        return try isRunAgain(store, read) { tx in try set(to, &tx) }
    }

    @Test func `is not run again for what its reads do not see`() throws {
        let store = try store()
        try store.write { tx in
            for hour in 0..<20 { try tx.insert(Booking(id: "\(hour)", room: 1, hour: hour)) }
        }
        let outside: @Sendable (inout WriteTransaction) throws -> Void = { tx in
            try tx.upsert(Booking(id: "x", room: 2, hour: (try tx.count(Booking.self))))
            try tx.update(Booking.self, "15") { $0.room += 2 }
        }
        let early: Filter<Booking> = \.room == 1 && \.hour < 10
        let reads: [(inout WriteTransaction) throws -> Void] = [
            { _ = try $0.get(Booking.self, "1") },
            { _ = try $0.exists(Booking.self, "no") },
            { _ = try $0.all(Booking.self, where: early) },
            { _ = try $0.count(Booking.self, where: early) },
            // The page is full before the changed records.
            { _ = try $0.all(Booking.self, sortedBy: \.hour, limit: 5) },
            { _ = try $0.first(Booking.self, sortedBy: \.hour) },
            { _ = try $0.all(Booking.self, limit: 0) },
            { _ = try $0.all(Doctor.self) },
        ]
        for read in reads { #expect(try !isRunAgain(store, read, beside: outside)) }
        // The changed record passes before and after: the count is the same.
        #expect(
            try !isRunAgain(store, { _ = try $0.count(Booking.self, where: \.hour >= 12) }) { tx in
                try tx.update(Booking.self, "15") { $0.hour += 1 }
            })
    }

    @Test func `is run again if a page that was full changes before its end`() throws {
        let store = try store()
        try store.write { tx in
            for hour in 10..<20 { try tx.insert(Booking(id: "\(hour)", room: 1, hour: hour)) }
        }
        let read: (inout WriteTransaction) throws -> Void = {
            _ = try $0.all(Booking.self, sortedBy: [.ascending(\.hour)], offset: 2, limit: 3)
        }
        #expect(
            try isRunAgain(store, read) { tx in
                try tx.insert(Booking(id: "first", room: 1, hour: 1))
            })
        #expect(try isRunAgain(store, read) { tx in try tx.delete(Booking.self, "first") })
        #expect(
            try isRunAgain(store, read) { tx in try tx.update(Booking.self, "14") { $0.room = 2 } })
        #expect(
            try !isRunAgain(store, read) { tx in try tx.update(Booking.self, "15") { $0.room = 2 } }
        )
    }

    @Test func `is checked against what was cleared, and through generic code`() throws {
        func newest(_ source: borrowing some RecordSource & ~Copyable) throws -> Booking? {
            try source.first(Booking.self, sortedBy: [.descending(\.hour)])
        }
        let store = try store()
        try store.write { try $0.insert(Booking(id: "a", room: 1, hour: 1)) }
        #expect(
            try isRunAgain(store, { _ = try newest($0) }) { _ = try $0.deleteAll(Booking.self) })
        #expect(
            try isRunAgain(store, { _ = try newest($0) }) { tx in
                try tx.insert(Booking(id: "b", room: 1, hour: 2))
            })
    }

    // MARK: The run

    @Test func `gets a typed error after its retries, and leaves nothing`() throws {
        let store = try store()
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        let runs = Locked(0)
        let error = failure(as: StoreError.self) {
            try store.writeConcurrently(retries: 3) { tx in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try tx.update(Note.self, 1) { $0.text += "x" }
                inParallel(1, threads: 1) { _ in
                    try? store.write { tx in try tx.update(Note.self, 1) { $0.text = "\(run)" } }
                }
            }
        }
        #expect(error?.code == .conflict && runs.withLock { $0 } == 4)
        #expect(error?.place.entity == "Note" && error?.place.ids == [RecordID(1)])
        #expect(try store.get(Note.self, 1)?.text == "4")
        #expect(store.sequence == 5)
    }

    @Test func `is atomic: a block that throws leaves nothing, and is not run again`() throws {
        struct Refused: Error, Equatable {}
        let store = try store()
        var runs = 0
        #expect(throws: Refused()) {
            try store.writeConcurrently { tx in
                runs += 1
                try tx.insert(Note(id: 1, text: "a"))
                throw Refused()
            }
        }
        #expect(runs == 1 && store.sequence == 0)
    }

    @Test func `sees its own changes`() throws {
        let store = try store()
        try store.write { try $0.insert([Note(id: 1, text: "a"), Note(id: 2, text: "b")]) }
        let texts = try store.writeConcurrently { tx in
            try tx.update(Note.self, 1) { $0.text = "c" }
            try tx.delete(Note.self, 2)
            try tx.insert(Note(id: 3, text: "d"))
            let count = try tx.count(Note.self)
            let first = try tx.first(Note.self, sortedBy: [.descending(\.text)])?.text ?? ""
            return try tx.all(Note.self).map(\.text) + ["\(count)", first]
        }
        #expect(texts == ["c", "d", "2", "d"])
        #expect(try store.all(Note.self).map(\.text) == ["c", "d"])
        #expect(store.sequence == 2)
    }

    @Test func `refuses other writes to its store, and is refused inside of them`() throws {
        let store = try store()
        let other = store.fork()
        try store.writeConcurrently { tx in
            #expect(code { try store.write { _ in } } == .nestedWrite)
            #expect(code { try store.writeConcurrently { _ in } } == .nestedWrite)
            // Another store may be written to.
            try other.write { try $0.upsert(Note(id: 2, text: "b")) }
            try tx.insert(Note(id: 1, text: "a"))
        }
        try store.write { _ in
            #expect(code { try store.writeConcurrently { _ in } } == .nestedWrite)
        }
        #expect(store.sequence == 1)
        try other.discard()
    }

    @Test func `names unique values that others have taken meanwhile`() throws {
        let store = try Store(inMemory: Restaurant.self)
        let intruder = Intruder {
            try store.write { try $0.insert(Restaurant(name: "Nonna", cuisine: "italian")) }
        }
        #expect(
            code {
                try store.writeConcurrently { tx in
                    try tx.insert(Restaurant(name: "Nonna", cuisine: "greek"))
                    intruder.intrude()
                }
            } == .uniqueViolation)
        #expect(try store.all(Restaurant.self).map(\.cuisine) == ["italian"])
    }

    @Test func `has metadata and durability, and leaves no event if nothing changed`() throws {
        let store = try store()
        try store.writeConcurrently(by: "ann", because: "test", durability: .durable) { tx in
            try tx.insert(Note(id: 1, text: "a"))
        }
        #expect(try store.writeConcurrently { try $0.count(Note.self) } == 1)
        let events = try Array(store.events())
        #expect(events.map(\.metadata.actor) == ["ann"])
        try store.close()
        #expect(code { try store.writeConcurrently { _ in } } == .closed)
    }

    @Test func `suspends in a task while it commits`() async throws {
        let store = try store()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 1...40 {
                group.addTask {
                    try await store.writeConcurrently(retries: 1_000) { tx in
                        let count = try tx.count(Note.self)
                        try tx.insert(Note(id: id, text: "\(count)"))
                        return count
                    }
                }
            }
            let counts = try await group.reduce(into: []) { $0.append($1) }
            #expect(counts.sorted() == Array(0..<40))
        }
        #expect(store.sequence == 40)
    }
}

import Dispatch
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A clock that jumps` {
    private static let year: Int64 = 31_557_600_000_000
    private let disk = SimulatedDisk(hasCheckpoints: false)
    private let clock = ManualClock()
    private let errors = Locked<[StoreError]>([])

    private func open(jumpMax: Duration? = nil) throws -> Store {
        var options = Store.Options()
        if let jumpMax { options.clockJumpMax = jumpMax }
        options.onError = { [errors] error in
            errors.withLock { $0 += [error as? StoreError].compactMap(\.self) }
        }
        return try Store(on: disk, entities: Note.self, options: options, clock: clock)
    }

    private func warnings(of store: Store) -> [StoreError.Code] {
        store.resources.options.callbackQueue.sync {}
        return errors.withLock { $0.map(\.code) }
    }

    @Test func `far ahead of the newest event appends nothing (F54)`() throws {
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        clock.advance(byMicroseconds: 10 * Self.year + 1_000_000)
        let error = failure(as: StoreError.self) {
            try store.write { try $0.insert(Note(id: 2, text: "")) }
        }
        #expect(error?.code == .clockAhead)
        #expect(error?.message.contains("Options.clockJumpMax") == true)
        #expect(store.sequence == 1)
        #expect(try store.count(Note.self) == 1)
        // It was set right.
        clock.advance(byMicroseconds: -10 * Self.year)
        try store.write { try $0.insert(Note(id: 3, text: "")) }
        let second = try #require(try store.event(2))
        #expect(second.time <= EventTime(microseconds: clock.nowMicroseconds()))
    }

    @Test func `within the limit, or the option's, is accepted (F54)`() throws {
        var store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        clock.advance(byMicroseconds: 9 * Self.year)
        try store.write { try $0.insert(Note(id: 2, text: "")) }
        clock.advance(byMicroseconds: 300 * Self.year)
        #expect(throws: StoreError(.clockAhead, "")) {
            try store.write { _ = try $0.deleteAll(Note.self) }
        }
        try store.close()
        store = try open(jumpMax: .seconds(Int64.max))
        try store.write { _ = try $0.deleteAll(Note.self) }
        try store.close()
        store = try open(jumpMax: .seconds(60))
        clock.advance(byMicroseconds: 61_000_000)
        #expect(throws: StoreError(.clockAhead, "")) {
            try store.write { try $0.insert(Note(id: 2, text: "")) }
        }
        #expect(warnings(of: store) == [])
    }

    @Test func `is accepted after an event from before 2020 (F54)`() throws {
        clock.advance(byMicroseconds: -clock.nowMicroseconds())
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        clock.advance(byMicroseconds: 56 * Self.year)
        try store.write { try $0.insert(Note(id: 2, text: "")) }
        #expect(store.sequence == 2)
    }

    @Test func `before the newest event is reported once (F54)`() throws {
        let store = try open()
        try store.write { try $0.insert(Note(id: 1, text: "")) }
        // Clocks are adjusted by less.
        clock.advance(byMicroseconds: -900_000)
        try store.write { try $0.insert(Note(id: 2, text: "")) }
        #expect(warnings(of: store) == [])
        clock.advance(byMicroseconds: -Self.year)
        for id in 3...5 { try store.write { try $0.insert(Note(id: id, text: "")) } }
        #expect(warnings(of: store) == [.clockBehind])
        #expect(store.sequence == 5)
    }

    @Test func `to the ends of time traps nowhere (F54)`() {
        let clockGuard = ClockGuard(jumpMax: .seconds(1)) { _ in }
        let times: [Int64] = [.min, -1, 0, 1_600_000_000_000_000, .max]
        for now in times {
            for last in times {
                let code = code {
                    try clockGuard.check(now, after: EventTime(microseconds: last), of: 1)
                }
                let isAhead = last >= 1_600_000_000_000_000 && now > last
                #expect(code == (isAhead ? .clockAhead : nil))
            }
        }
    }
}

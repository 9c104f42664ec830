import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Leaf: Entity {
    var id: Int
}

@Suite struct `A retention` {
    private static let hour: Int64 = 3_600_000_000

    @Test func `is for ever unless a period is given`() {
        var options = Store.Options()
        #expect(options.retention == .forever)
        #expect(options.log.timeSpanMax == nil)
        options.retention = .keep(.days(90))
        #expect(options.retention == .keep(.seconds(7_776_000)))
        #expect(options.log.timeSpanMax == 9 * 24 * Self.hour)
    }

    @Test(arguments: [
        Duration.zero, .seconds(-1), .days(-90), .seconds(Int64.min),
        .seconds(3_600) - .nanoseconds(1),
    ])
    func `of less than an hour is refused`(period: Duration) throws {
        var options = Store.Options()
        options.retention = .keep(period)
        let disk = SimulatedDisk()
        let error = failure(as: StoreError.self) {
            _ = try Store(on: disk, entities: Leaf.self, options: options)
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("Options.retention") == true)
        #expect(throws: StoreError(.invalidInput, "")) {
            try Store(inMemory: Leaf.self, options: options)
        }
    }

    @Test(arguments: [Duration.seconds(3_600), .days(36_600), .days(.max), .seconds(Int64.max)])
    func `of an hour and more is accepted`(period: Duration) throws {
        var options = Store.Options()
        options.retention = .keep(period)
        let disk = SimulatedDisk()
        for id in 0..<3 {
            let store = try Store(on: disk, entities: Leaf.self, options: options)
            try store.write { try $0.insert(Leaf(id: id)) }
            try store.close()
        }
        #expect(try Archive(on: disk).verify().problems == [])
        #expect(try #require(options.log.timeSpanMax) >= Self.hour / 10)
    }

    @Test func `counts days of 86,400 seconds, as many as there can be`() {
        #expect(Duration.days(1) == .seconds(86_400))
        #expect(Duration.days(-2) == .seconds(-172_800))
        #expect(Duration.days(.max) == .seconds(Int64.max))
        #expect(Duration.days(.min) == .seconds(Int64.min))
    }
}

@Suite struct `A plan of what is deleted` {
    private func plan(_ period: Duration) throws -> RetentionPlan {
        try #require(RetentionPlan(.keep(period)))
    }

    private func time(_ microseconds: Int64) -> EventTime { EventTime(microseconds: microseconds) }

    @Test func `deletes nothing of what is kept for ever`() {
        #expect(RetentionPlan(.forever) == nil)
    }

    @Test func `cuts at the period once a tenth more is kept`() throws {
        let plan = try plan(.seconds(100_000))
        let period: Int64 = 100_000_000_000
        let oldest = time(1_700_000_000_000_000)
        func cut(after age: Int64) -> EventTime? {
            plan.cut(newest: time(oldest.microseconds + age), oldest: oldest)
        }
        #expect(cut(after: 0) == nil)
        #expect(cut(after: period) == nil)
        #expect(cut(after: period / 10 * 11) == nil)
        #expect(
            cut(after: period / 10 * 11 + 1) == time(oldest.microseconds + period / 10 + 1))
        #expect(cut(after: 5 * period) == time(oldest.microseconds + 4 * period))
        #expect(cut(after: -1) == nil)
    }

    /// After each cut the oldest is the time of the cut, as when there are many events.
    @Test func `is due ten times in a period at most`() throws {
        let plan = try plan(.days(10))
        var oldest = time(1_000_000)
        var cuts: [EventTime] = []
        for hour in 0..<(24 * 100) {
            let newest = time(1_000_000 + Int64(hour) * 3_600_000_000)
            if let cut = plan.cut(newest: newest, oldest: oldest) {
                #expect(oldest < cut && cut < newest)
                cuts.append(cut)
                oldest = cut
            }
        }
        #expect((80...90).contains(cuts.count))
    }

    @Test func `takes any time`() throws {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for period in [Duration.seconds(3_600), .days(36_600), .seconds(Int64.max)] {
            let plan = try plan(period)
            for newest in extremes {
                for oldest in extremes {
                    let cut = plan.cut(newest: time(newest), oldest: time(oldest))
                    if let cut { #expect(oldest < cut.microseconds && cut.microseconds < newest) }
                }
            }
        }
        let forever = try plan(.seconds(Int64.max))
        #expect(forever.cut(newest: time(.max), oldest: time(0)) == nil)
        let hour = try plan(.seconds(3_600))
        #expect(hour.cut(newest: time(.max), oldest: time(.min)) == time(.max - 3_600_000_000))
        #expect(
            hour.cut(newest: time(.min + 4_000_000_000), oldest: time(.min))
                == time(.min + 400_000_000))
    }
}

import SkyrosDisk
import SkyrosLog

/// When a store prunes its history by itself. May be asked from any thread.
final class PruneSchedule: Sendable {
    private struct State: Sendable {
        /// The time of event 1; nil if it was not read yet.
        var firstTime: EventTime?
        /// Before this time of the newest event, a prune that has failed is not tried again.
        var earliest = EventTime.zero
    }

    private let plan: RetentionPlan
    private let log: any LogReader
    private let clock: any WallClock
    private let state = Locked(State())

    init(_ plan: RetentionPlan, _ log: any LogReader, _ clock: any WallClock) {
        self.plan = plan
        self.log = log
        self.clock = clock
    }

    /// The time from which on history is kept; nil if nothing is due.
    ///
    /// Of the newest event and the clock, the earlier one counts: an event that was written while
    /// the clock was ahead ages nothing once the clock is right again.
    ///
    /// - Parameter newest: the time of the newest event.
    func cut(at newest: EventTime) -> EventTime? {
        guard let oldest, state.withLock({ $0.earliest }) <= newest else { return nil }
        let now = EventTime(microseconds: clock.nowMicroseconds())
        return plan.cut(newest: min(newest, now), oldest: oldest)
    }

    /// The damage, or what else was in the way, stays for a while.
    func noteFailure(at newest: EventTime) {
        let (time, overflows) = newest.microseconds.addingReportingOverflow(plan.period / 10)
        let earliest = EventTime(microseconds: overflows ? .max : time)
        state.withLock { $0.earliest = earliest }
    }

    /// The time with which the history that is kept begins.
    private var oldest: EventTime? {
        if let floor = log.floor { return EventTime(microseconds: floor.time) }
        if let time = state.withLock({ $0.firstTime }) { return time }
        // Where the first event cannot be read, nothing can be pruned.
        let time = try? EventReader(log).event(1)?.time
        state.withLock { $0.firstTime = time }
        return time
    }
}

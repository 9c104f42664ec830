import Synchronization

/// Compares the wall clock with the time of the newest event.
///
/// An event's time is never before that of its predecessor. So one event with a time far in the
/// future would give all later ones wrong times, for good.
final class ClockGuard: Sendable {
    private let jumpMax: Int64
    private let report: @Sendable (any Error) -> Void
    private let hasWarned = Atomic(false)

    /// 2020-01-01: an earlier event is from a test, or from a machine without a clock.
    private static let trustedSince: Int64 = 1_577_836_800_000_000

    /// A clock that is before the newest event by less is in order: clocks are adjusted.
    private static let toleratedMicroseconds: Int64 = 1_000_000

    /// Makes a guard that accepts any time and reports nothing.
    init() {
        jumpMax = .max
        report = { _ in }
    }

    init(jumpMax: Duration, report: @escaping @Sendable (any Error) -> Void) {
        self.jumpMax = jumpMax.microsecondsMax
        self.report = report
    }

    /// Throws `StoreError` with `.clockAhead` if `now` is too far after the last event. Reports
    /// once if it is before it.
    func check(_ now: Int64, after last: EventTime, of sequence: SequenceNumber) throws {
        guard last.microseconds >= Self.trustedSince else { return }
        let (lead, overflows) = now.subtractingReportingOverflow(last.microseconds)
        if overflows ? now > 0 : lead > jumpMax {
            throw StoreError(
                .clockAhead,
                "the clock says \(EventTime(microseconds: now)), event \(sequence) is from "
                    + "\(last): more than Options.clockJumpMax. Set the clock; if it is right, "
                    + "raise Options.clockJumpMax for this start. Nothing was written",
                at: StoreError.Place(sequences: sequence...sequence))
        }
        if overflows ? now < 0 : lead < -Self.toleratedMicroseconds { warn(now, last, sequence) }
    }

    private func warn(_ now: Int64, _ last: EventTime, _ sequence: SequenceNumber) {
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        report(
            StoreError(
                .clockBehind,
                "the clock says \(EventTime(microseconds: now)), event \(sequence) is from "
                    + "\(last): new events get times after that one until the clock has passed "
                    + "it. Set the clock if it is wrong",
                at: StoreError.Place(sequences: sequence...sequence)))
    }
}

/// For how long a store keeps its history.
///
///     var options = Store.Options()
///     options.retention = .keep(.days(90))
public enum Retention: Hashable, Sendable {
    /// All of it, for ever.
    case forever

    /// At least this period, measured back from the newest event. Older history is deleted.
    ///
    /// An app that writes nothing deletes nothing. The clock must agree: while it is behind
    /// the newest event, its time counts. So a clock that is ahead deletes history only if an
    /// event is written and the store prunes before it is set right, as far as
    /// ``Store/Options/clockJumpMax`` lets the event pass. Whole files are deleted, so up to
    /// about a fifth more than the period is kept; a file from before the store had this
    /// retention goes when its last event is old enough. What is deleted is replaced by a floor,
    /// the state as of then: no record is lost, only how it came to be.
    ///
    /// The period is at least an hour; opening refuses a shorter one. One of 100 years or more is
    /// as good as ``forever``.
    case keep(Duration)
}

extension Retention {
    /// The shortest period.
    static let periodMin: Duration = .seconds(3_600)

    /// The period in microseconds, in whole milliseconds; nil if everything is kept.
    var periodMicroseconds: Int64? {
        switch self {
        case .forever: nil
        case .keep(let period): period.microsecondsMax
        }
    }

    /// The time in microseconds that one file may span, so that whole files can be deleted: a tenth
    /// of the period; nil if there is no bound.
    var fileSpanMax: Int64? { periodMicroseconds.map { $0 / 10 } }

    /// Throws `StoreError` with `.invalidInput` if the period is too short.
    func check() throws {
        guard case .keep(let period) = self, period < Self.periodMin else { return }
        throw StoreError(
            .invalidInput,
            "Options.retention keeps \(period); it must keep one hour (3600 seconds) or more")
    }
}

import Skyros

/// What the events of a log are, added up.
struct LogStatistics {
    /// Events and their changes.
    struct Tally {
        var events = 0
        var inserted = 0
        var updated = 0
        var deleted = 0
        /// The bytes of the events before they are compressed.
        var bytes = 0
        var first: EventTime?
        var last: EventTime?

        var changes: Int { Self.sum(inserted + updated, deleted) }

        /// The sum, or the largest number.
        private static func sum(_ a: Int, _ b: Int) -> Int {
            let (sum, overflows) = a.addingReportingOverflow(b)
            return overflows ? .max : sum
        }

        fileprivate mutating func add(_ later: Tally) {
            events += later.events
            inserted += later.inserted
            updated += later.updated
            deleted = Self.sum(deleted, later.deleted)
            bytes += later.bytes
            first = first ?? later.first
            last = later.last ?? last
        }

        fileprivate mutating func add(_ change: Change) {
            switch change {
            case .inserted: inserted += 1
            case .updated: updated += 1
            case .deleted: deleted += 1
            // A log that nobody has folded may say any number.
            case .cleared(_, let count): deleted = Self.sum(deleted, count)
            }
        }

        fileprivate mutating func add(_ event: Event, byteCount: Int) {
            events += 1
            bytes += byteCount
            first = first ?? event.time
            last = event.time
        }
    }

    /// How long the parts are by which events are added up over time; all are of UTC.
    enum Period: String, CaseIterable {
        case hour, day, month, year

        /// The period of a time, as the beginning of its text in ISO 8601.
        func name(of time: EventTime) -> String {
            let count =
                switch self {
                case .hour: 13
                case .day: 10
                case .month: 7
                case .year: 4
                }
            return String(time.description.prefix(count))
        }
    }

    private let period: Period
    private(set) var total = Tally()
    /// In the order of the log.
    private(set) var periods: [(name: String, tally: Tally)] = []
    private(set) var actors = NamedValues<Tally>()
    private(set) var entities = NamedValues<Tally>()
    private(set) var commands = NamedValues<Tally>()
    /// The name under which events without an actor are counted.
    static let nobody = "-"

    init(by period: Period) {
        self.period = period
    }

    mutating func add(_ event: Event, byteCount: Int) {
        let name = period.name(of: event.time)
        if periods.last?.name != name { periods.append((name, Tally())) }
        var tally = Tally()
        tally.add(event, byteCount: byteCount)
        for change in event.changes { tally.add(change) }
        total.add(tally)
        periods[periods.count - 1].tally.add(tally)
        Self.add(tally, to: &actors[event.metadata.actor ?? Self.nobody])
        if let intent = event.intent { Self.add(tally, to: &commands[intent.name]) }
        addToDay(of: event, byteCount: byteCount)
        var seen = Set<String>()
        for change in event.changes {
            var tally = entities[change.entity] ?? Tally()
            if seen.insert(change.entity).inserted { tally.add(event, byteCount: byteCount) }
            tally.add(change)
            entities[change.entity] = tally
        }
    }

    private static func add(_ part: Tally, to tally: inout Tally?) {
        var sum = tally ?? Tally()
        sum.add(part)
        tally = sum
    }

    // MARK: Growth

    private static let dayMicroseconds: Int64 = 86_400_000_000
    private static let recentDays: Int64 = 30

    /// The days of the log that had events, by their numbers since 1970.
    private var days: [(number: Int64, events: Int, bytes: Int)] = []

    private mutating func addToDay(of event: Event, byteCount: Int) {
        let micros = event.time.microseconds
        let isBefore = micros % Self.dayMicroseconds < 0
        let number = micros / Self.dayMicroseconds - (isBefore ? 1 : 0)
        if days.last?.number != number { days.append((number, 0, 0)) }
        days[days.count - 1].events += 1
        days[days.count - 1].bytes += byteCount
    }

    /// What was added a day on average in the last 30 days with the last event, or from the first
    /// event on if that is later.
    var daily: (events: Double, bytes: Double) {
        guard let first = days.first?.number, let last = days.last?.number else { return (0, 0) }
        // The clock may have been set back.
        let start = min(max(first, last - Self.recentDays + 1), last)
        let recent = days.reversed().prefix { (start...last).contains($0.number) }
        let count = Double(last - start + 1)
        return (
            Double(recent.reduce(0) { $0 + $1.events }) / count,
            Double(recent.reduce(0) { $0 + $1.bytes }) / count
        )
    }
}

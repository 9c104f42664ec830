/// How much work is done, and how often.
struct Settings: Sendable {
    /// Fewer of everything: three minutes.
    var isQuick = false
    /// How many rows there are.
    var rows: Int
    /// Whether single inserts start on a store that has the rows, instead of an empty one.
    var isGrown = false
    /// How many single inserts, reads, queries and updates there are, instead of the usual numbers.
    var work: Int?
    var rounds: Int

    init(isQuick: Bool) {
        self.isQuick = isQuick
        rows = isQuick ? 100_000 : 1_000_000
        rounds = isQuick ? 3 : 5
    }

    /// Fewer where the store has rows, so that their number stays about what it is.
    var singleInserts: Int {
        work ?? (isGrown ? (isQuick ? 10_000 : 50_000) : (isQuick ? 20_000 : 500_000))
    }
    /// The single inserts of which each is timed.
    var timedInserts: Int { isQuick ? 40_000 : 200_000 }
    var durableInserts: Int { isQuick ? 400 : 2_000 }
    var reads: Int { work ?? (isQuick ? 200_000 : 1_000_000) }
    var queries: Int { work ?? (isQuick ? 1_000 : 2_000) }
    var updates: Int { work ?? (isQuick ? 10_000 : 100_000) }
    /// The number of events after the last checkpoint of a killed process.
    var tailEvents: Int { work ?? (isQuick ? 100_000 : 1_000_000) }

    static let blockRows = 1_000
    static let queryLimit = 20

    /// The same settings as arguments for a process of this program.
    var arguments: [String] {
        var arguments = ["--rows", "\(rows)"]
        if isQuick { arguments.append("--quick") }
        if isGrown { arguments.append("--grown") }
        if let work { arguments += ["--work", "\(work)"] }
        return arguments
    }
}

/// How much work is done, and how often.
struct Settings: Sendable {
    /// Fewer of everything: two minutes.
    var isQuick = false
    /// How many rows there are.
    var rows: Int
    /// Whether single inserts start on a store that has the rows, instead of an empty one.
    var isGrown = false
    var rounds: Int

    init(isQuick: Bool) {
        self.isQuick = isQuick
        rows = isQuick ? 100_000 : 1_000_000
        rounds = isQuick ? 3 : 5
    }

    var singleInserts: Int { isQuick ? 20_000 : 100_000 }
    var durableInserts: Int { isQuick ? 400 : 2_000 }
    var reads: Int { isQuick ? 200_000 : 1_000_000 }
    var queries: Int { isQuick ? 1_000 : 2_000 }
    var updates: Int { isQuick ? 10_000 : 100_000 }
    /// The number of events after the last checkpoint of a killed process.
    var tailEvents: Int { isQuick ? 100_000 : 1_000_000 }

    static let blockRows = 1_000
    static let queryLimit = 20

    /// The same settings as arguments for a process of this program.
    var arguments: [String] {
        var arguments = ["--rows", "\(rows)"]
        if isQuick { arguments.append("--quick") }
        if isGrown { arguments.append("--grown") }
        return arguments
    }
}

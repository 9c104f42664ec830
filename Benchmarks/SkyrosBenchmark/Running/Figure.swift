/// What a figure counts.
enum Unit: String, Codable, Sendable {
    case commitsPerSecond = "commits/s"
    case rowsPerSecond = "rows/s"
    case readsPerSecond = "reads/s"
    case queriesPerSecond = "queries/s"
    case changesPerSecond = "changes/s"
    case eventsPerSecond = "events/s"
    case milliseconds = "ms"
    case microseconds = "µs"
    case bytes
    case bytesPerRow = "bytes/row"
    case bytesPerEvent = "bytes/event"
    case files
    /// How many times as much as it should be.
    case multiple = "×"

    /// Whether more is better: of rates it is, of times and sizes less is.
    var isBetterWhenGreater: Bool { rawValue.hasSuffix("/s") }
}

/// One number that one side reached in one round.
struct Figure: Codable, Sendable {
    private(set) var variant: String
    let unit: Unit
    let value: Double
    /// What the work took; nil for sizes and for percentiles of single commits.
    private(set) var cost: Cost?

    init(_ variant: String, _ value: Double, _ unit: Unit, _ cost: Cost? = nil) {
        self.variant = variant
        self.unit = unit
        self.value = value
        self.cost = cost
    }

    /// How often something was done in a second.
    init(_ variant: String, _ count: Int, in cost: Cost, _ unit: Unit) {
        self.init(variant, Double(count) / cost.wall, unit, cost)
    }

    /// The same figure under another name.
    func named(_ variant: String) -> Figure {
        var copy = self
        copy.variant = variant
        return copy
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    var microseconds: Double { seconds * 1e6 }
}

/// What a figure counts.
enum Unit: String, Codable, Sendable {
    case commitsPerSecond = "commits/s"
    case rowsPerSecond = "rows/s"
    case readsPerSecond = "reads/s"
    case queriesPerSecond = "queries/s"
    case changesPerSecond = "changes/s"
    case milliseconds = "ms"
    case microseconds = "µs"
    case bytes
    case bytesPerRow = "bytes/row"
    case bytesPerEvent = "bytes/event"

    /// Whether more is better: of rates it is, of times and sizes less is.
    var isBetterWhenGreater: Bool { rawValue.hasSuffix("/s") }
}

/// One number that one side reached in one round.
struct Figure: Codable, Sendable {
    let variant: String
    let unit: Unit
    let value: Double

    init(_ variant: String, _ value: Double, _ unit: Unit) {
        self.variant = variant
        self.unit = unit
        self.value = value
    }

    /// How often something was done in a second.
    init(_ variant: String, _ count: Int, in time: Duration, _ unit: Unit) {
        self.init(variant, Double(count) / time.seconds, unit)
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    var milliseconds: Double { seconds * 1e3 }

    var microseconds: Double { seconds * 1e6 }
}

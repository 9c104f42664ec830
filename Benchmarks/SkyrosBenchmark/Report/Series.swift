/// All rounds of one variant of one workload, on all sides.
struct Series: Sendable {
    let workload: String
    let variant: String
    let unit: Unit
    private(set) var values: [Side: [Double]] = [:]

    init(workload: String, variant: String, unit: Unit) {
        self.workload = workload
        self.variant = variant
        self.unit = unit
    }

    mutating func add(_ value: Double, of side: Side) {
        values[side, default: []].append(value)
    }

    /// The median of a side's rounds; nil if it has none.
    func median(of side: Side) -> Double? {
        values[side].flatMap { Statistics.median($0) }
    }
}

/// All series, in the order in which they came up.
struct SeriesList: Sendable {
    private(set) var all: [Series] = []

    mutating func add(
        _ figure: Figure, of side: Side, in workload: String, label: String
    ) {
        let variant = [label, figure.variant].filter { !$0.isEmpty }.joined(separator: ", ")
        let index = all.firstIndex {
            $0.workload == workload && $0.variant == variant && $0.unit == figure.unit
        }
        if let index {
            all[index].add(figure.value, of: side)
        } else {
            var series = Series(workload: workload, variant: variant, unit: figure.unit)
            series.add(figure.value, of: side)
            all.append(series)
        }
    }
}

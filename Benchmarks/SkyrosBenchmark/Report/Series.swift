/// All rounds of one variant of one workload, on all sides.
struct Series: Sendable {
    let workload: String
    let variant: String
    let unit: Unit
    private(set) var figures: [Side: [Figure]] = [:]

    init(workload: String, variant: String, unit: Unit) {
        self.workload = workload
        self.variant = variant
        self.unit = unit
    }

    mutating func add(_ figure: Figure, of side: Side) {
        figures[side, default: []].append(figure)
    }

    /// The median of a side's rounds; nil if it has none.
    func median(of side: Side) -> Double? {
        figures[side].flatMap { Statistics.median($0.map(\.value)) }
    }

    /// The medians of what the work took; nil if that was not measured.
    func cost(of side: Side) -> Cost? {
        let costs = (figures[side] ?? []).compactMap(\.cost)
        guard let wall = Statistics.median(costs.map(\.wall)),
            let cpu = Statistics.median(costs.map(\.cpu))
        else { return nil }
        return Cost(wall: wall, cpu: cpu)
    }

    /// Skyros beside a peer: above 1, Skyros is better. Nil unless both have done the same.
    func ratio(to peer: Side) -> Double? {
        guard peer != .skyros, let skyros = median(of: .skyros), let value = median(of: peer),
            value > 0, skyros > 0
        else { return nil }
        return unit.isBetterWhenGreater ? skyros / value : value / skyros
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
            all[index].add(figure, of: side)
        } else {
            var series = Series(workload: workload, variant: variant, unit: figure.unit)
            series.add(figure, of: side)
            all.append(series)
        }
    }
}

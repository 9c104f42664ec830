/// What a figure is to reach.
struct Target: Sendable {
    private enum Kind {
        /// At least this many times as good as a side.
        case ratio(Double, Side)
        /// At least, or at most where less is better.
        case value(Double)
        /// At least this share of, or at most this multiple of, another variant.
        case variant(Double, String)
    }

    private let workload: String
    private let variant: String
    private let kind: Kind

    /// Cells of a row of the table; nil if nothing was measured.
    func row(_ all: [Series]) -> [String]? {
        guard let series = all.first(where: { $0.workload == workload && $0.variant == variant }),
            let skyros = series.median(of: .skyros)
        else { return nil }
        let isGreater = series.unit.isBetterWhenGreater
        let goal: Double
        let reached: Double
        let text: String
        switch kind {
        case .ratio(let times, let side):
            guard let ratio = series.ratio(to: side) else { return nil }
            (goal, reached) = (times, ratio)
            text = "\(TextTable.number(times)) × \(side.rawValue)"
        case .value(let value):
            (goal, reached) = (value, skyros)
            text = "\(isGreater ? "≥" : "≤") \(TextTable.number(value)) \(series.unit.rawValue)"
        case .variant(let times, let variant):
            let other = all.first { $0.workload == workload && $0.variant == variant }
            guard let value = other?.median(of: .skyros), value > 0 else { return nil }
            (goal, reached) = (times, skyros / value)
            text = "\(isGreater ? "≥" : "≤") \(TextTable.number(times)) × \(variant)"
        }
        var isMet = reached >= goal
        if !isGreater, !isRatio { isMet = reached <= goal }
        let number = TextTable.number(reached)
        return [workload, variant, text, isMet ? number : "**missed**: \(number)"]
    }

    private var isRatio: Bool {
        if case .ratio = kind { true } else { false }
    }

    static func table(_ series: [Series]) -> TextTable {
        TextTable(
            head: ["", "", "target", "reached"], rows: all.compactMap { $0.row(series) },
            textColumns: 4)
    }

    // MARK: All

    private static let all =
        [
            times(10, .sqliteExclusive, "W1", "until written"),
            times(18, .sqliteAuditExclusive, "W1", "until written"),
            times(0.55, .floor, "W1", "until written"),
            times(1.2, .sqliteExclusive, "W2", "1 writer"), times(0.95, .floor, "W2", "1 writer"),
            times(5, .sqliteExclusive, "W2", "16 writers"), times(0.85, .floor, "W2", "16 writers"),
            times(14, .sqliteExclusive, "W3", "until written"),
            times(28, .sqliteAuditExclusive, "W3", "until written"),
            times(10, .sqliteExclusive, "W4", "1 thread"), times(0.75, .floor, "W4", "1 thread"),
            times(11, .sqlite, "W4", "2 threads"),
            Target(workload: "W4", variant: "2 threads", kind: .variant(1.8, "1 thread")),
            times(6, .sqliteExclusive, "W5", "second pass"),
            times(0.35, .floor, "W5", "second pass"),
            times(14, .sqliteExclusive, "W6", "until written"),
            times(35, .sqliteAuditExclusive, "W6", "until written"),
            times(0.25, .floor, "W7", Opening.besideScan),
        ] + ofLogAndMemory

    private static let ofLogAndMemory =
        [
            times(0.6, .floor, "W8", Replaying.archive),
            value(1_000_000, "W8", Replaying.archive),
        ]
        + LogSize.Kind.allCases.flatMap { kind in
            [
                times(4.5, .floor, "W9", kind.variant(LogSize.json)),
                times(8, .sqliteAudit, "W9", kind.variant(LogSize.audit)),
                times(1 / 1.15, .floor, "W9", kind.variant(LogSize.zstd)),
            ]
        } + [
            times(1, .sqliteAuditExclusive, "W10", Past.historyVariant),
            value(500, "W11", Residence.Holding.indexed.rawValue),
            value(500, "W11", Residence.Holding.opened.rawValue),
            times(1 / 1.15, .floor, "W11", Residence.besideDictionary),
            Target(
                workload: "W11", variant: CheckpointCost.variant("p99.9", beside: .checkpoints),
                kind: .variant(2, CheckpointCost.variant("p99.9", beside: .runs))),
            Target(
                workload: "W11", variant: CheckpointCost.variant("p99.9", beside: .runs),
                kind: .variant(1.5, CheckpointCost.variant("p99.9", beside: .nothing))),
            value(50, "W12", "longest"), value(300_000, "W13", ""),
        ]
        + Workload.estimateVariants.map { value(1.5, "W15", $0) }
        + Workload.valueTargets.map { value($0.value, $0.workload, $0.variant) }
        + Workload.relativeTargets.map { target in
            Target(
                workload: target.workload, variant: target.variant,
                kind: .variant(target.times, target.other))
        }

    private static func times(
        _ times: Double, _ side: Side, _ workload: String, _ variant: String
    ) -> Target {
        Target(workload: workload, variant: variant, kind: .ratio(times, side))
    }

    private static func value(
        _ value: Double, _ workload: String, _ variant: String
    ) -> Target {
        Target(workload: workload, variant: variant, kind: .value(value))
    }
}

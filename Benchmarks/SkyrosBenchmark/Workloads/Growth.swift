/// The same work on more and more rows: what stays the same, and what does not.
struct Growth: Sendable {
    /// Workloads and the number of rows on which they run.
    struct Step: Sendable {
        let rows: Int
        let workloads: [Workload]

        /// The beginning of the figures' variants.
        var label: String { "\(TextTable.count(rows)) rows" }
    }

    let steps: [Step]

    init(isQuick: Bool) {
        let sizes = isQuick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000]
        let all =
            [SingleInserts.workload, Reads.workload, Updates.workload, Opening.workload]
            .map(\.withoutAudit) + [Residence.workload]
        let large = [Reads.workload, Opening.workload]
        steps =
            sizes.map { Step(rows: $0, workloads: all) }
            + (isQuick ? [] : [Step(rows: 5_000_000, workloads: large)])
    }
}

extension Workload {
    /// The workload without the side that takes the longest to prepare.
    fileprivate var withoutAudit: Workload {
        Workload(
            name: name, title: title, sides: sides.filter { $0 != .sqliteAudit },
            isSteady: isSteady, fixtures: fixtures, fixturesOfGrown: fixturesOfGrown,
            measure: measure)
    }
}

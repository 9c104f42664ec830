/// Workloads, and the number of rows on which they run.
struct Step: Sendable {
    let rows: Int
    /// What the figures' variants begin with.
    let label: String
    let workloads: [Workload]

    init(rows: Int, label: String, workloads: [Workload]) {
        self.rows = rows
        self.label = label
        self.workloads = workloads
    }

    private init(_ rows: Int, _ workloads: [Workload]) {
        self.init(rows: rows, label: "\(TextTable.count(rows)) rows", workloads: workloads)
    }

    /// The same work on more and more rows: what stays the same, and what does not.
    static func growth(isQuick: Bool) -> [Step] {
        let sizes = isQuick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000]
        let large = [Reads.workload, Opening.workload].map(\.grown)
        let all =
            [SingleInserts.workload, Updates.workload, Residence.workload].map(\.grown) + large
        return sizes.map { Step($0, all) } + (isQuick ? [] : [Step(5_000_000, large)])
    }

    /// What an app on a phone has.
    static let phone =
        [1_000, 10_000, 50_000].map { Step($0, [Phone.workload]) }
        + [Step(rows: 1_000, label: "", workloads: [ProgramSize.workload])]
}

extension Workload {
    /// The workload without the sides that take the longest to prepare.
    fileprivate var grown: Workload {
        var copy = self
        copy.sides = sides.filter { [.skyros, .sqlite, .floor].contains($0) }
        return copy
    }
}

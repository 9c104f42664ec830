/// One kind of work, for every side that can do it.
struct Workload: Sendable {
    /// "W1".
    let name: String
    let title: String
    let sides: [Side]
    /// What must have been prepared before a side can start.
    var fixtures: @Sendable (Side) -> [Fixture] = { _ in [] }
    /// Does the work on one side, once, and checks its result.
    let measure: @Sendable (Side, Bench) throws -> [Figure]

    static let all = [
        SingleInserts.workload, BlockInserts.workload, Reads.workload, Queries.workload,
        Updates.workload,
    ]
}

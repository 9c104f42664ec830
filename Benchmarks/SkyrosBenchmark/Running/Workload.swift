/// One kind of work, for every side that can do it.
struct Workload: Sendable {
    /// "W1".
    let name: String
    let title: String
    let sides: [Side]
    /// Whether every round gives the same figures, so that one is enough.
    var isSteady = false
    /// What must have been prepared before a side can start.
    var fixtures: @Sendable (Side) -> [Preparation] = { _ in [] }
    /// What must have been prepared besides where growth is measured.
    var fixturesOfGrown: @Sendable (Side) -> [Preparation] = { _ in [] }
    /// Does the work on one side, once, and checks its result.
    let measure: @Sendable (Side, Bench) throws -> [Figure]

    static let all = [
        SingleInserts.workload, DurableInserts.workload, BlockInserts.workload, Reads.workload,
        Queries.workload, Updates.workload, Opening.workload, Replaying.workload,
        LogSize.workload, Past.workload, Residence.workload,
    ]
}

/// A fixture for one side.
struct Preparation: Hashable, Sendable {
    let fixture: Fixture
    let side: Side

    init(_ fixture: Fixture, _ side: Side) {
        self.fixture = fixture
        self.side = side
    }
}

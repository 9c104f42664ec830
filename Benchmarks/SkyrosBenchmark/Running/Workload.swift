/// One kind of work, for every side that can do it.
struct Workload: Sendable {
    /// "W1".
    let name: String
    let title: String
    var sides: [Side]
    /// Whether every round gives the same figures, so that one is enough.
    var isSteady = false
    /// What must have been prepared before a side can start.
    var fixtures: @Sendable (Side) -> [Preparation] = { _ in [] }
    /// The same where growth is measured; nil if that makes no difference.
    var fixturesOfGrown: (@Sendable (Side) -> [Preparation])?
    /// Does the work on one side, once, and checks its result.
    let measure: @Sendable (Side, Bench) throws -> [Figure]

    func fixtures(of side: Side, _ settings: Settings) -> [Preparation] {
        settings.isGrown ? (fixturesOfGrown ?? fixtures)(side) : fixtures(side)
    }

    /// The workloads of an ordinary run.
    static let all =
        [
            SingleInserts.workload, DurableInserts.workload, BlockInserts.workload, Reads.workload,
            Queries.workload, Updates.workload, Opening.workload, Replaying.workload,
            LogSize.workload, Past.workload, Residence.workload,
        ] + newest + [Sessions.workload]

    /// The workload of this name, of any kind of run.
    static func named(_ name: String) -> Workload? {
        (all + [Phone.workload, ProgramSize.workload]).first { $0.name == name }
    }
}

/// A fixture for one side.
struct Preparation: Hashable, Sendable {
    let fixture: Fixture
    let side: Side

    init(_ fixture: Fixture, _ side: Side) {
        self.fixture = fixture
        self.side = side.preparer
    }
}

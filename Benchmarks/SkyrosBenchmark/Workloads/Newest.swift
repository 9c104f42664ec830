extension Workload {
    /// Workloads that measure what older versions of the library do not have. `scripts/compare`
    /// leaves them out, so that one benchmark measures both.
    #if SKYROS_COMPARE
        static let newest: [Workload] = []
        static let estimateVariants: [String] = []
        static let valueTargets: [ValueTarget] = []
        static let relativeTargets: [RelativeTarget] = []
    #else
        static let newest = [
            Suspension.workload, Invariants.workload, Estimates.workload, LiveQueries.workload,
            Unions.workload, Relations.workload, Forks.workload, Evolving.workload,
            Conditions.workload, Commands.workload, Distilling.workload,
            TimeMachines.workload,
        ]
        /// The variants of W15.
        static let estimateVariants = Estimates.variants
        static let valueTargets =
            [
                // What live queries may add to an event.
                ValueTarget("W-live", LiveQueries.page, 20),
                ValueTarget("W-live", LiveQueries.others, 5),
                ValueTarget("W-commands", Commands.deposits, 100_000),
                ValueTarget("W10", Past.asOfVariant, 60),
                ValueTarget("W10", Past.recordsVariant, 5_000),
                ValueTarget("W10", Past.nearVariant, 5_000),
                ValueTarget("W-timemachine", TimeMachines.step, 1),
                ValueTarget("W-timemachine", TimeMachines.jump, 100),
            ]
            + Distilling.variants.map { ValueTarget("W-distill", $0, 60_000) }
        static let relativeTargets = [
            RelativeTarget("W-relations", Relations.linked, 0.9, Relations.indexed),
            RelativeTarget("W-conditions", Conditions.sequence, 0.9, Conditions.none),
            RelativeTarget("W-conditions", Conditions.record, 0.9, Conditions.none),
            RelativeTarget("W-conditions", Conditions.query, 0.9, Conditions.queried),
            RelativeTarget("W-evolution", Evolving.newer, 1.3, Evolving.same),
        ]
    #endif
}

/// What a variant of a workload is to reach: at least, or at most where less is better.
struct ValueTarget: Sendable {
    let workload: String
    let variant: String
    let value: Double

    init(_ workload: String, _ variant: String, _ value: Double) {
        self.workload = workload
        self.variant = variant
        self.value = value
    }
}

/// What a variant of a workload may reach beside another one.
struct RelativeTarget: Sendable {
    let workload: String
    let variant: String
    /// At least this share of, or at most this multiple of, the other.
    let times: Double
    let other: String

    init(_ workload: String, _ variant: String, _ times: Double, _ other: String) {
        self.workload = workload
        self.variant = variant
        self.times = times
        self.other = other
    }
}

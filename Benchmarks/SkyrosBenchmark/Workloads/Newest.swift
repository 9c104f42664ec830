extension Workload {
    /// Workloads that measure what older versions of the library do not have. `scripts/compare`
    /// leaves them out, so that one benchmark measures both.
    #if SKYROS_COMPARE
        static let newest: [Workload] = []
        static let estimateVariants: [String] = []
        static let liveTargets: [(variant: String, microseconds: Double)] = []
        static let relativeTargets: [RelativeTarget] = []
    #else
        static let newest = [
            Suspension.workload, Invariants.workload, Estimates.workload, LiveQueries.workload,
            Unions.workload, Relations.workload, Forks.workload, Evolving.workload,
            Conditions.workload, Commands.workload, Distilling.workload,
        ]
        /// The variants of W15.
        static let estimateVariants = Estimates.variants
        /// What live queries may add to an event, by the variants of W-live.
        static let liveTargets: [(variant: String, microseconds: Double)] = [
            (LiveQueries.page, 20), (LiveQueries.others, 5),
        ]
        static let relativeTargets = [
            RelativeTarget("W-relations", Relations.linked, 0.9, Relations.indexed),
            RelativeTarget("W-conditions", Conditions.sequence, 0.9, Conditions.none),
            RelativeTarget("W-conditions", Conditions.record, 0.9, Conditions.none),
            RelativeTarget("W-evolution", Evolving.newer, 1.3, Evolving.same),
        ]
    #endif
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

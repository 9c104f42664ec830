extension Workload {
    /// Workloads that measure what older versions of the library do not have. `scripts/compare`
    /// leaves them out, so that one benchmark measures both.
    #if SKYROS_COMPARE
        static let newest: [Workload] = []
        static let estimateVariants: [String] = []
        static let liveTargets: [(variant: String, microseconds: Double)] = []
    #else
        static let newest = [
            Suspension.workload, Invariants.workload, Estimates.workload, LiveQueries.workload,
        ]
        /// The variants of W15.
        static let estimateVariants = Estimates.variants
        /// What live queries may add to an event, by the variants of W-live.
        static let liveTargets: [(variant: String, microseconds: Double)] = [
            (LiveQueries.page, 20), (LiveQueries.others, 5),
        ]
    #endif
}

extension Workload {
    /// Workloads that measure what older versions of the library do not have. `scripts/compare`
    /// leaves them out, so that one benchmark measures both.
    #if SKYROS_COMPARE
        static let newest: [Workload] = []
        static let estimateVariants: [String] = []
    #else
        static let newest = [Suspension.workload, Invariants.workload, Estimates.workload]
        /// The variants of W15.
        static let estimateVariants = Estimates.variants
    #endif
}

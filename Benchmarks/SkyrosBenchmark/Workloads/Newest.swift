extension Workload {
    /// Workloads that measure what older versions of the library do not have. `scripts/compare`
    /// leaves them out, so that one benchmark measures both.
    #if SKYROS_COMPARE
        static let newest: [Workload] = []
    #else
        static let newest = [Suspension.workload, Invariants.workload]
    #endif
}

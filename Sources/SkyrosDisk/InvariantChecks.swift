import Synchronization

/// The switch for checks that are too expensive for an app: invariants of the trees and of the
/// log after each mutation, and replay beside each live write.
///
/// One build serves both: where a check could run, the switch costs one relaxed load.
package enum InvariantChecks {
    private static let flag = Atomic(System.environment("SKYROS_INVARIANTS") == "1")

    /// Whether checks run. Off, unless the environment variable `SKYROS_INVARIANTS` is 1.
    package static var isEnabled: Bool { flag.load(ordering: .relaxed) }

    /// Turns the checks on, for the whole process.
    package static func enable() { flag.store(true, ordering: .relaxed) }

    /// The elements that whole checks may still visit.
    private static let credit = Atomic(0)

    /// Whether to check a whole structure, and not only what a mutation touched.
    ///
    /// Each call adds to a credit, and a whole check spends it: over many mutations, whole checks
    /// visit 8 elements per mutation on average, whatever the sizes.
    ///
    /// - Parameter size: how many elements the check would visit.
    package static func isWholeCheckDue(size: Int) -> Bool {
        let available = credit.add(8, ordering: .relaxed).newValue
        guard available >= size else { return false }
        credit.subtract(size, ordering: .relaxed)
        return true
    }

    /// Stops the process if an invariant is broken.
    ///
    /// - Parameter sentence: what is broken; nil if nothing is.
    package static func require(_ sentence: String?, in structure: String) {
        guard let sentence else { return }
        System.stop("an invariant of \(structure) is broken, which is a bug in Skyros: \(sentence)")
    }
}

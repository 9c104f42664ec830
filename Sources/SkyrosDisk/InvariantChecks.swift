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
}

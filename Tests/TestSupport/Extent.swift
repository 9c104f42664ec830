import Foundation

/// How many cases a sweep tries.
package enum Extent: String {
    /// A few cases: under a sanitizer, and for mutants.
    case brief
    /// A sample: in every test run.
    case quick
    /// For `scripts/test --deep`.
    case deep

    package static let current: Extent = {
        guard let name = ProcessInfo.processInfo.environment["SKYROS_EXTENT"] else {
            return Sanitizer.isEnabled ? .brief : .quick
        }
        guard let extent = Extent(rawValue: name) else {
            preconditionFailure("SKYROS_EXTENT must be brief, quick or deep, not \(name)")
        }
        return extent
    }()

    /// The value for this test run.
    ///
    /// - Parameter deep: nil for the same as `quick`.
    package static func pick<Value>(brief: Value, quick: Value, deep: Value? = nil) -> Value {
        switch current {
        case .brief: brief
        case .quick: quick
        case .deep: deep ?? quick
        }
    }
}

/// Prints a line `sweep | …` with the figures of a sweep; `scripts/figures` makes a table of them.
package func reportSweep(_ name: String, _ figures: String) {
    print("sweep | \(name) | \(Extent.current.rawValue) | \(figures)")
}

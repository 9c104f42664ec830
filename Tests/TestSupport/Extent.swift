import Foundation

/// How much is tried of what could be tried for days.
package enum Extent: String {
    /// Where seeing it once is enough: under a sanitizer, which looks at how things are done, and
    /// in a copy that was broken on purpose.
    case brief
    /// In every test run: a sample.
    case quick
    /// Behind `scripts/test --deep`.
    case deep

    package static let current: Extent = {
        guard let wish = ProcessInfo.processInfo.environment["SKYROS_EXTENT"] else {
            return Sanitizer.isThere ? .brief : .quick
        }
        guard let extent = Extent(rawValue: wish) else {
            preconditionFailure("SKYROS_EXTENT is brief, quick or deep, not \(wish)")
        }
        return extent
    }()

    /// The value for this test run.
    ///
    /// - Parameter deep: nil if more would be no better than `quick`.
    package static func pick<Value>(brief: Value, quick: Value, deep: Value? = nil) -> Value {
        switch current {
        case .brief: brief
        case .quick: quick
        case .deep: deep ?? quick
        }
    }
}

/// Prints one line of what was tried, `sweep | …`, from which `scripts/figures` makes a table.
package func reportSweep(_ name: String, _ figures: String) {
    print("sweep | \(name) | \(Extent.current.rawValue) | \(figures)")
}

/// One step from a version of a shape to a later one.
public struct EvolutionStep: Hashable, Sendable, CustomStringConvertible {
    /// The version before.
    public let from: Int
    /// The version after.
    public let to: Int

    /// `1 → 2`.
    public var description: String { "\(from) → \(to)" }
}

extension Evolver {
    /// The steps from a version to the newest, in order.
    func path(from version: Int) -> [EvolutionStep] {
        var last = version
        return versions(after: version).map { version in
            defer { last = version.number }
            return EvolutionStep(from: last, to: version.number)
        }
    }
}

/// What does not hold in a ``Scenario``.
public struct ScenarioFailure: Error, Hashable, CustomStringConvertible {
    /// A description of what was expected, and of what has happened.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// When an event is handled again that a subscription could not handle.
public struct RetryPolicy: Hashable, Sendable {
    /// The pause before the second attempt. Each further pause is twice as long.
    public var firstDelay: Duration
    /// The longest pause.
    public var delayMax: Duration
    /// The number of attempts after which the subscription stops; nil for no end.
    public var attemptsMax: Int?

    /// A policy with these parts.
    public init(
        firstDelay: Duration = .seconds(1), delayMax: Duration = .seconds(300),
        attemptsMax: Int? = nil
    ) {
        self.firstDelay = firstDelay
        self.delayMax = delayMax
        self.attemptsMax = attemptsMax
    }

    /// After one second, two, four, and so on up to five minutes, without an end.
    public static let standard = RetryPolicy()

    /// Waits between two attempts.
    static let pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The pause after this many attempts.
    func delay(afterAttempts count: Int) -> Duration {
        var delay = max(.zero, firstDelay)
        for _ in 1..<max(1, count) {
            if delay >= delayMax { break }
            delay *= 2
        }
        return min(delay, max(.zero, delayMax))
    }
}

/// What happens to an app, as far as its stores are concerned.
public enum LifecycleEvent: Hashable, Sendable, CaseIterable {
    /// The app is about to lose the user's attention.
    case willResignActive
    /// The app is in the background and may be stopped at any moment.
    case didEnterBackground
    /// The app comes back from the background.
    case willEnterForeground
    /// The app is about to end.
    case willTerminate
}

/// A source of lifecycle events for a ``LifecycleReactor``: signals, notifications, or a test.
public protocol LifecycleSource: Sendable {
    /// Calls `handler` with each event, on any thread, until the observation is cancelled. The
    /// event continues when the handler has returned.
    ///
    /// - Throws: an error if events cannot be observed.
    func observe(
        _ handler: @escaping @Sendable (LifecycleEvent) -> Void
    ) throws -> LifecycleObservation

    /// Runs `body`, and asks the system meanwhile not to stop the process. Default: only runs it.
    func keepAlive(while body: () -> Void)
}

extension LifecycleSource {
    /// Runs `body`.
    public func keepAlive(while body: () -> Void) { body() }
}

/// Keeps a store safe when its app leaves or ends: flushes it, and suspends it in the background.
///
///     let reactor = try LifecycleReactor(store, source: .terminationSignals)      // a server, a
///     tool let reactor = try LifecycleReactor(store, source: .appNotifications())      // an app
///
/// | event | what it does |
/// |---|---|
/// | `willResignActive` | `flush()` |
/// | `didEnterBackground` | `flush()`, then `suspend()`, while the source keeps the app alive |
/// | `willEnterForeground` | `resume()` |
/// | `willTerminate` | `flush()`, while the source keeps the app alive |
///
/// It is optional: buffered events survive the end of the process without it, and power loss once
/// they are synced, within ``Store/Options/syncInterval``. Errors go to ``Store/onError``.
///
/// It does not retain the store. It ends with `stop` or with its last reference; keep one.
public final class LifecycleReactor: Sendable {
    private let observation: LifecycleObservation

    /// Reacts to the events of `source` from now on.
    ///
    /// - Throws: what observing the source throws.
    public init(_ store: Store, source: some LifecycleSource) throws {
        observation = try source.observe { [weak store] event in
            guard let store else { return }
            Self.react(to: event, store, source)
        }
    }

    /// Reacts no more. A reaction that is in progress ends by itself. A second call does nothing.
    public func stop() {
        observation.cancel()
    }

    private static func react(
        to event: LifecycleEvent, _ store: Store, _ source: some LifecycleSource
    ) {
        switch event {
        case .willResignActive: attempt(on: store) { try store.flush() }
        case .didEnterBackground:
            source.keepAlive {
                attempt(on: store) { try store.flush() }
                store.suspend()
            }
        case .willEnterForeground: attempt(on: store) { try store.resume() }
        case .willTerminate: source.keepAlive { attempt(on: store) { try store.flush() } }
        }
    }

    private static func attempt(on store: Store, _ step: () throws -> Void) {
        do {
            try step()
        } catch {
            // A store that was closed is safe already.
            if (error as? StoreError)?.code != .closed { store.resources.report(error) }
        }
    }
}

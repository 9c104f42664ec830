import SkyrosDisk

/// SIGTERM and SIGINT, as ``LifecycleEvent/willTerminate``.
///
/// After the reaction, the app's own handler of the signal runs, or the default action ends the
/// process. A second signal does not wait for the first, unless the app has a handler. A handler
/// that the app sets later replaces this one. Signals that the app blocks, or takes with `sigwait`,
/// are not seen.
public struct TerminationSignals: LifecycleSource {
    /// The signals SIGTERM and SIGINT.
    public init() {}

    /// Calls `handler` when a signal arrives, on a thread that all observations share.
    ///
    /// - Throws: `StoreError` with `.io` if there is no thread for it.
    public func observe(
        _ handler: @escaping @Sendable (LifecycleEvent) -> Void
    ) throws -> LifecycleObservation {
        let signals: Set = [SignalWatch.termination, SignalWatch.interruption]
        do throws(ThreadShortage) {
            let watch = try SignalWatch(signals) { _ in handler(.willTerminate) }
            return LifecycleObservation { watch.cancel() }
        } catch {
            throw StoreError(error)
        }
    }
}

extension LifecycleSource where Self == TerminationSignals {
    /// SIGTERM and SIGINT: for servers and tools.
    public static var terminationSignals: TerminationSignals { TerminationSignals() }
}

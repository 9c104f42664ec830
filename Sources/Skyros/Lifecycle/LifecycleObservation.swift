import SkyrosDisk

/// The observation of a source; it ends with `cancel` or with its last reference.
public final class LifecycleObservation: Sendable {
    private let end: Locked<Callback<Void>?>

    /// An observation that `end` ends. It is called once, on the thread that cancels.
    public init(_ end: @escaping @Sendable () -> Void) {
        self.end = Locked(Callback(end))
    }

    deinit {
        cancel()
    }

    /// Ends the observation. A second call does nothing.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?.call(())
    }
}

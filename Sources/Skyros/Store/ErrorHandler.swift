import Dispatch
import SkyrosDisk

/// The closure that gets the errors that no caller receives. It can be replaced at any time.
final class ErrorHandler: Sendable {
    private let closure: Locked<Callback<any Error>?>
    private let queue: DispatchQueue

    init(_ options: Store.Options) {
        closure = Locked(options.onError.map { Callback($0) })
        queue = options.callbackQueue
    }

    var current: (@Sendable (any Error) -> Void)? {
        get { closure.withLock { $0 }?.call }
        set { closure.withLock { $0 = newValue.map { Callback($0) } } }
    }

    /// Calls the closure with the error on the callback queue: the one that is set by then.
    func report(_ error: any Error) {
        // What a suspended store cannot do now is done by the next process, or after `resume`.
        if (error as? StoreError)?.code == .suspended { return }
        guard current != nil else { return }
        queue.async { self.current?(error) }
    }
}

extension Store {
    /// Called with errors that no caller receives, as ``Options/onError``, whose value it has at
    /// first; nil for none.
    ///
    ///     store.onError = { [weak self] error in self?.show(error) }
    ///
    /// It may be replaced at any time. An error goes to the closure that is set when the callback
    /// queue reaches it. Errors of other stores go to their own closures.
    public var onError: (@Sendable (any Error) -> Void)? {
        get { resources.handler.current }
        set { resources.handler.current = newValue }
    }
}

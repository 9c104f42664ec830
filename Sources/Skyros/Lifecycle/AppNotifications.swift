public import Foundation

/// The notifications of an app on Apple's systems, as lifecycle events.
///
/// The names are those of UIKit and AppKit, which need not be linked.
public struct AppNotifications: LifecycleSource {
    private let center: Center
    private let names: [Notification.Name: LifecycleEvent]
    private let keepingAlive: @Sendable (() -> Void) -> Void

    /// - Note: `@unchecked` because Foundation documents the center as safe on any thread.
    private struct Center: @unchecked Sendable {
        let value: NotificationCenter
    }

    /// - Note: `@unchecked` because the tokens are only passed back to the center, once.
    private struct Tokens: @unchecked Sendable {
        let all: [any NSObjectProtocol]
    }

    /// The notifications that mean an event by default.
    public static let standardNames: [Notification.Name: LifecycleEvent] = [
        Notification.Name("UIApplicationWillResignActiveNotification"): .willResignActive,
        Notification.Name("UIApplicationDidEnterBackgroundNotification"): .didEnterBackground,
        Notification.Name("UIApplicationWillEnterForegroundNotification"): .willEnterForeground,
        Notification.Name("UIApplicationWillTerminateNotification"): .willTerminate,
        Notification.Name("NSApplicationWillResignActiveNotification"): .willResignActive,
        Notification.Name("NSApplicationWillTerminateNotification"): .willTerminate,
    ]

    /// The notifications of a center.
    ///
    /// - Parameters:
    ///   - center: where the app posts them.
    ///   - names: what each means.
    ///   - keepingAlive: runs its argument while the system lets the app finish, for instance
    ///     between `beginBackgroundTask` and `endBackgroundTask`. Default: only runs it.
    public init(
        _ center: NotificationCenter = .default,
        names: [Notification.Name: LifecycleEvent] = AppNotifications.standardNames,
        keepingAlive: @escaping @Sendable (() -> Void) -> Void = { $0() }
    ) {
        self.center = Center(value: center)
        self.names = names
        self.keepingAlive = keepingAlive
    }

    /// Calls `handler` on the thread that posts a notification.
    public func observe(
        _ handler: @escaping @Sendable (LifecycleEvent) -> Void
    ) -> LifecycleObservation {
        let tokens = Tokens(
            all: names.map { name, event in
                center.value.addObserver(forName: name, object: nil, queue: nil) { _ in
                    handler(event)
                }
            })
        return LifecycleObservation { [center] in
            for token in tokens.all { center.value.removeObserver(token) }
        }
    }

    /// Runs `body` as the initialiser's closure does.
    public func keepAlive(while body: () -> Void) {
        keepingAlive(body)
    }
}

extension LifecycleSource where Self == AppNotifications {
    /// The notifications of UIKit and AppKit.
    ///
    /// - Parameter keepingAlive: runs its argument while the system lets the app finish.
    public static func appNotifications(
        keepingAlive: @escaping @Sendable (() -> Void) -> Void = { $0() }
    ) -> AppNotifications {
        AppNotifications(keepingAlive: keepingAlive)
    }
}

import Synchronization

/// What must live until the process ends, because closing it would only cost time.
enum Unclosed {
    private static let kept = Mutex<[any AnyObject & Sendable]>([])

    static func keep(_ object: some AnyObject & Sendable) {
        kept.withLock { $0.append(object) }
    }
}

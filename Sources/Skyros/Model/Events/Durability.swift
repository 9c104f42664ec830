/// How safe an event is when its write returns.
public enum Durability: Int, Sendable, CaseIterable {
    /// Nothing: until the next background sync the process may hold the event in memory only, and
    /// its end loses it. The log is never damaged by that.
    case deferred
    /// Every byte has left the process: the event survives its death at any instruction
    /// (promise P1). The default. Synced within ``Store/Options/syncInterval``.
    case buffered
    /// A sync that began after the bytes were written has succeeded: the event survives power
    /// loss (promise P2). Concurrent waiting writers share one sync.
    case durable
}

extension Durability: Comparable {
    /// Whether `a` promises less than `b`.
    public static func < (a: Durability, b: Durability) -> Bool {
        a.rawValue < b.rawValue
    }
}

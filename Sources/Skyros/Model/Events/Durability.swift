/// What must have happened to an event before its write returns.
public enum Durability: Int, Sendable, CaseIterable {
    /// Nothing: the event may still be in the process and be lost with it. Never corrupts.
    case deferred
    /// Every byte has left the process: the event survives its death at any instruction
    /// (promise P1). Synced within ``Store/Options/syncInterval``.
    /// The default.
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

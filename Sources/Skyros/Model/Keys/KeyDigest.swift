import SkyrosLog

/// The number of events with a key, and their content digest. Sums, so that events are added and
/// removed in any order.
struct KeyDigest: Hashable, Sendable {
    private(set) var count = 0
    /// The sum modulo 2 to the 64 of `term` over all events.
    private(set) var content: UInt64 = 0

    init() {}

    init(count: Int, content: UInt64) {
        self.count = count
        self.content = content
    }

    mutating func add(_ event: KeyedEvent) {
        count += 1
        content &+= Self.term(of: event)
    }

    /// Subtracts an event that was added.
    mutating func remove(_ event: KeyedEvent) {
        count -= 1
        content &-= Self.term(of: event)
    }

    /// The XXH64 under seed 0 of the canonical CBOR of `[sequence, time, key, hash of the intent or
    /// null]`.
    private static func term(of event: KeyedEvent) -> UInt64 {
        var writer = CBORWriter(capacity: 64)
        writer.appendArrayHead(4)
        writer.append(event.sequence.rawValue)
        writer.append(event.time.microseconds)
        writer.append(text: event.text)
        if let hash = event.intentHash { writer.append(hash) } else { writer.appendNull() }
        return writer.withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }
}

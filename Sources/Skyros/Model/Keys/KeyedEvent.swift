import SkyrosLog

/// What a store remembers of an event with an idempotency key.
struct KeyedEvent: Hashable, Sendable {
    /// The key's UTF-8. Keys are compared by their bytes: Swift's `==` on strings would also
    /// accept canonically equivalent ones.
    let key: ByteString
    let sequence: SequenceNumber
    let time: EventTime
    /// The hash of the intent; nil without one.
    let intentHash: UInt64?

    init(key: ByteString, sequence: SequenceNumber, time: EventTime, intentHash: UInt64?) {
        self.key = key
        self.sequence = sequence
        self.time = time
        self.intentHash = intentHash
    }

    /// The event with `key` at a place in the log.
    init(_ key: String, _ intent: Intent?, at sequence: SequenceNumber, _ time: EventTime) {
        self.init(
            key: Self.bytes(of: key), sequence: sequence, time: time,
            intentHash: intent.map { Self.hash(of: $0) })
    }

    /// Makes it of an event; nil if the event has no key.
    init?(_ event: borrowing Event) {
        guard let key = event.key else { return nil }
        self.init(
            key: Self.bytes(of: key), sequence: event.sequence, time: event.time,
            intentHash: event.intent.map { Self.hash(of: $0) } ?? Self.adoptedHash(of: event))
    }

    /// The hash of the intent that an event in the place of a lost one states: it was taken over
    /// from a checkpoint, which has no more of it.
    private static func adoptedHash(of event: borrowing Event) -> UInt64? {
        guard event.additions != .none,
            case .integer(let hash)? = try? event.additions.value["+adopted"]?["intent"]
        else { return nil }
        return UInt64(exactly: hash)
    }

    /// The UTF-8 of a key.
    static func bytes(of key: String) -> ByteString {
        var key = key
        return key.withUTF8 { ByteString(UnsafeRawBufferPointer($0)) }
    }

    /// The XXH64 under seed 0 of the canonical CBOR of `[name, value]`.
    static func hash(of intent: Intent) -> UInt64 {
        var writer = CBORWriter(capacity: intent.encoded.count + 64)
        writer.appendArrayHead(2)
        writer.append(text: intent.name)
        writer.append(raw: intent.encoded)
        return writer.withUnsafeBytes { XXH64.hash($0, seed: 0) }
    }

    /// The key as text.
    var text: String { key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

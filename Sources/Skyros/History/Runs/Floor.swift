/// What a pruned store keeps of the history before its first event: the state of then.
///
///     if let floor = try store.floor {
///         print("the history before \(floor.time) was pruned: \(floor.reason ?? "-")")
///     }
public struct Floor: Hashable, Sendable {
    /// The last event that was pruned. The state after it is the oldest that can be asked for.
    public let sequence: SequenceNumber
    /// The time of that event.
    public let time: EventTime
    /// The number of records that were there after it.
    public let recordCount: Int
    /// The digest of them.
    public let digest: StateDigest
    /// When the history was pruned, by the clock of the machine.
    public let prunedAt: EventTime
    /// Who pruned it; nil if the store did, by its `Options.retention`.
    public let actor: String?
    /// Why it was pruned.
    public let reason: String?
}

/// What the first frame of a floor says: a map of CBOR.
///
/// Source of the layout: docs/log-format.md.
struct FloorHead: Equatable, Sendable {
    static let format = 1

    private enum Key {
        static let keys: StaticString = "keys"
        static let actor: StaticString = "actor"
        static let bound: StaticString = "bound"
        static let count: StaticString = "count"
        static let digest: StaticString = "digest"
        static let format: StaticString = "format"
        static let pruned: StaticString = "pruned"
        static let reason: StaticString = "reason"
        static let schema: StaticString = "schema"
        static let happened: StaticString = "happened"
        static let projections: StaticString = "projections"
        static let correlations: StaticString = "correlations"
    }

    var recordCount = 0
    var digest = StateDigest()
    var prunedAt = EventTime.zero
    /// The latest time at which one of the events happened that were pruned; the greatest there is
    /// if they were not recorded in that order.
    var happenedUntil = EventTime(microseconds: .min)
    var actor: String?
    var reason: String?
    /// What the log had recorded of the shapes of entities.
    var schemas = NamedValues<EntitySchema>()
    /// The idempotency keys that were in the window.
    var keys: [KeyedEvent] = []
    var keyBound = KeyBound.none
    /// The values of projections after the last event that was pruned.
    var projections: [StoredProjection] = []
    /// The correlations that events before and after the floor have, sorted.
    var correlations: [String] = []

    init() {}

    var bytes: [UInt8] {
        var writer = CBORWriter()
        let optionals = [actor == nil, reason == nil, correlations.isEmpty]
        writer.appendMapHead(9 + optionals.count { !$0 })
        writer.append(text: Key.keys)
        writer.append(bytes: encodedKeys)
        if let actor {
            writer.append(text: Key.actor)
            writer.append(text: actor)
        }
        writer.append(text: Key.bound)
        writer.appendArrayHead(2)
        writer.append(keyBound.sequence.rawValue)
        writer.append(keyBound.time.microseconds)
        writer.append(text: Key.count)
        writer.append(Int64(recordCount))
        writer.append(text: Key.digest)
        writer.append(text: digest.description)
        writer.append(text: Key.format)
        writer.append(Int64(Self.format))
        writer.append(text: Key.pruned)
        writer.append(prunedAt.microseconds)
        if let reason {
            writer.append(text: Key.reason)
            writer.append(text: reason)
        }
        writer.append(text: Key.schema)
        schemas.append(to: &writer)
        writer.append(text: Key.happened)
        writer.append(happenedUntil.microseconds)
        writer.append(text: Key.projections)
        writer.append(bytes: encodedProjections)
        if !correlations.isEmpty {
            writer.append(text: Key.correlations)
            writer.appendArrayHead(correlations.count)
            for correlation in correlations { writer.append(text: correlation) }
        }
        return writer.array
    }

    /// A sequence of items of CBOR.
    private var encodedProjections: [UInt8] {
        var writer = CBORWriter()
        for projection in projections { projection.append(to: &writer) }
        return writer.array
    }

    /// A sequence of items of CBOR, each an array of an event, its time, the key, and the hash of
    /// the intent or null.
    private var encodedKeys: [UInt8] {
        var writer = CBORWriter()
        for event in keys {
            writer.appendArrayHead(4)
            writer.append(event.sequence.rawValue)
            writer.append(event.time.microseconds)
            writer.append(text: event.text)
            if let hash = event.intentHash { writer.append(hash) } else { writer.appendNull() }
        }
        return writer.array
    }
}

extension FloorHead {
    /// Reads the map.
    ///
    /// - Throws: `CBORError`; `StoreError` with `.unsupportedFormat` if a newer version wrote it.
    init(_ bytes: [UInt8]) throws {
        var format = 0
        try bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            for _ in 0..<(try reader.readMapHead()) {
                let start = reader.offset
                switch try reader.readUTF8() {
                case Key.keys: keys = try Self.readKeys(reader.readBytes())
                case Key.actor: actor = try reader.readText()
                case Key.bound:
                    guard try reader.readArrayHead() == 2 else {
                        throw CBORError(.unexpectedType(.array), at: start)
                    }
                    keyBound.sequence = SequenceNumber(
                        rawValue: try reader.readInteger(UInt64.self))
                    keyBound.time = EventTime(microseconds: try reader.readInteger(Int64.self))
                case Key.count: recordCount = try reader.readInteger(Int.self)
                case Key.digest:
                    guard let read = StateDigest(description: try reader.readText()) else {
                        throw CBORError(.unexpectedType(.text), at: start)
                    }
                    digest = read
                case Key.format: format = try reader.readInteger(Int.self)
                case Key.pruned:
                    prunedAt = EventTime(microseconds: try reader.readInteger(Int64.self))
                case Key.reason: reason = try reader.readText()
                case Key.happened:
                    happenedUntil = EventTime(microseconds: try reader.readInteger(Int64.self))
                case Key.projections:
                    projections = try Self.readProjections(reader.readBytes())
                case Key.correlations:
                    for _ in 0..<(try reader.readArrayHead()) {
                        correlations.append(try reader.readText())
                    }
                case Key.schema:
                    let map = UnsafeRawBufferPointer(
                        rebasing: reader.bytes[try reader.skipValue()])
                    guard let read = try NamedValues<EntitySchema>(map, levelsAround: -1) else {
                        throw CBORError(.unexpectedType(.map), at: start)
                    }
                    schemas = read
                default: try reader.skipValue()
                }
            }
        }
        guard format == Self.format else {
            throw StoreError(
                .unsupportedFormat, "the floor has format \(format); use a newer version")
        }
    }

    private static func readProjections(
        _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> [StoredProjection] {
        var projections: [StoredProjection] = []
        var reader = CBORReader(bytes)
        while !reader.isAtEnd { projections.append(try StoredProjection(&reader)) }
        return projections
    }

    private static func readKeys(
        _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> [KeyedEvent] {
        var events: [KeyedEvent] = []
        var reader = CBORReader(bytes)
        while !reader.isAtEnd {
            let start = reader.offset
            guard try reader.readArrayHead() == 4 else {
                throw CBORError(.unexpectedType(.array), at: start)
            }
            let sequence = SequenceNumber(rawValue: try reader.readInteger(UInt64.self))
            let time = EventTime(microseconds: try reader.readInteger(Int64.self))
            let key = ByteString(try reader.readUTF8())
            let hash = try reader.readNullIfPresent() ? nil : reader.readInteger(UInt64.self)
            guard events.last.map({ $0.sequence < sequence }) ?? true else {
                throw CBORError(.unsortedKeys, at: start)
            }
            events.append(KeyedEvent(key: key, sequence: sequence, time: time, intentHash: hash))
        }
        return events
    }
}

/// A change of a record as its history has it: by which event, and what the record was then.
struct RecordVersion: Equatable, Sendable {
    enum Kind: UInt8, Sendable {
        case inserted = 0
        case updated
        case deleted
        case cleared
        /// It was there when the history before was pruned.
        case kept
    }

    enum Image: Equatable, Sendable {
        /// The whole record that the change leaves, or that a deletion has removed.
        case record([UInt8])
        /// The fields that an update changes, as they were and as they are.
        case difference(before: [UInt8], after: [UInt8])
        /// It is too large: the event in the log has it. A clearing has none.
        case absent

        /// The size of an update's difference, or a lower bound of it.
        var differenceByteCount: Int {
            switch self {
            case .record: 0
            case .difference(let before, let after): before.count + after.count
            case .absent: RecordVersion.differenceBytesMax
            }
        }
    }

    let kind: Kind
    let sequence: SequenceNumber
    let time: EventTime
    /// The version of the record's shape after the change, or of a deletion before it.
    let shape: Int
    var image: Image
    /// The place of the change in an event that clears an entity, or changes a record twice; 0 in
    /// all others.
    var place = 0
    /// Metadata and intent of the event, as a map with the keys of an event; nil if they are too
    /// large, and the event in the log has them.
    let about: [UInt8]?

    /// Whether no version before it is needed to make the record.
    var isWhole: Bool {
        switch image {
        case .record: true
        case .difference: false
        // Of an update the log has a difference only.
        case .absent: kind != .updated
        }
    }

    /// Whether the change came before another one of the same record or entity.
    func precedes(_ other: RecordVersion) -> Bool {
        (sequence, place) < (other.sequence, other.place)
    }
}

extension RecordVersion {
    /// A difference, or the record of an insertion or a deletion, above this size is left to the
    /// log.
    static let differenceBytesMax = 1 << 10

    /// Metadata and intents of up to this size are stored with each change of the event.
    static let aboutBytesMax = 256

    /// Metadata and intents of up to this size in all changes of the event are.
    static let aboutBytesMaxInAll = 1 << 10

    /// The versions that an event makes, in the order of its changes, with their keys.
    ///
    /// Their images are those of the event: an update has its difference.
    static func list(of event: Event) -> [(key: HistoryKey, version: RecordVersion)] {
        let about = about(event)
        let isOrdered = isOrdered(event)
        return event.changes.indices.map { index in
            let change = event.changes[index]
            let (kind, image): (Kind, Image) =
                switch change {
                case .inserted(let record): (.inserted, .record(record.fields.bytes))
                case .updated(_, _, let before, let after):
                    (.updated, .difference(before: before.bytes, after: after.bytes))
                case .deleted(let record): (.deleted, .record(record.fields.bytes))
                case .cleared: (.cleared, .absent)
                }
            let version = RecordVersion(
                kind: kind, sequence: event.sequence, time: event.time,
                shape: event.version(ofChange: index), image: image,
                place: isOrdered ? index : 0, about: about)
            return (HistoryKey(change.entity, change.id), version)
        }
    }

    /// The versions of some keys that an event makes, in the order of its changes.
    ///
    /// O(changes) without memory for an event that changes none of them.
    static func list(of event: Event, for keys: [HistoryKey]) -> [RecordVersion] {
        let isConcerned = event.changes.contains { change in
            keys.contains { $0.id == change.id && $0.entity.elementsEqual(change.entity.utf8) }
        }
        guard isConcerned else { return [] }
        return list(of: event).filter { keys.contains($0.key) }.map(\.version)
    }

    /// Whether the order of the event's changes counts.
    private static func isOrdered(_ event: Event) -> Bool {
        guard event.changes.count > 1 else { return false }
        if event.changes.contains(where: { $0.id == nil }) { return true }
        var ids = Set<RecordID>()
        let repeatsIDs = event.changes.contains { change in
            change.id.map { !ids.insert($0).inserted } ?? false
        }
        guard repeatsIDs else { return false }
        // Records of two entities may have the same id.
        var keys = Set<HistoryKey>()
        return event.changes.contains { !keys.insert(HistoryKey($0.entity, $0.id)).inserted }
    }

    private static func about(_ event: Event) -> [UInt8]? {
        let bytes = EventCoding.about(event.metadata, event.intent)
        return storesAbout(byteCount: bytes.count, changeCount: event.changes.count) ? bytes : nil
    }

    /// Whether metadata and intent of this size are stored with each change of an event.
    static func storesAbout(byteCount: Int, changeCount: Int) -> Bool {
        byteCount <= aboutBytesMax || byteCount * changeCount <= aboutBytesMaxInAll
    }
}

// MARK: - Coding

extension RecordVersion {
    /// An array: kind, sequence, time, image, metadata and intent, the shape's version, and the
    /// place; the last ones are left out if they are 1 and 0.
    func append(to writer: inout CBORWriter) {
        Self.append(kind, sequence, time, shape, place, about: about, to: &writer) { writer in
            switch image {
            case .record(let bytes): writer.append(raw: bytes)
            case .difference(let before, let after):
                writer.appendArrayHead(2)
                writer.append(raw: before)
                writer.append(raw: after)
            case .absent: writer.appendNull()
            }
        }
    }

    /// The same of a version of which `appendImage` appends the image.
    @inline(__always)
    static func append(
        _ kind: Kind, _ sequence: SequenceNumber, _ time: EventTime, _ shape: Int, _ place: Int,
        about: [UInt8]?, to writer: inout CBORWriter, _ appendImage: (inout CBORWriter) -> Void
    ) {
        writer.appendArrayHead(place > 0 ? 7 : shape == Evolver.firstVersion ? 5 : 6)
        writer.append(UInt64(kind.rawValue))
        writer.append(sequence.rawValue)
        writer.append(time.microseconds)
        appendImage(&writer)
        if let about { writer.append(raw: about) } else { writer.appendNull() }
        if place > 0 || shape != Evolver.firstVersion { writer.append(Int64(shape)) }
        if place > 0 { writer.append(Int64(place)) }
    }

    /// Reads what `append` has written.
    init(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        let count = try reader.readArrayHead()
        guard (5...7).contains(count),
            let kind = Kind(rawValue: try reader.readInteger(UInt8.self))
        else { throw CBORError(.unexpectedType(.array), at: start) }
        self.kind = kind
        sequence = SequenceNumber(rawValue: try reader.readInteger(UInt64.self))
        time = EventTime(microseconds: try reader.readInteger(Int64.self))
        image = try Self.readImage(&reader)
        about = try reader.readNullIfPresent() ? nil : Self.readMap(&reader)
        shape = count > 5 ? try reader.readInteger(Int.self) : Evolver.firstVersion
        guard (Evolver.firstVersion...Evolver.versionMax).contains(shape) else {
            throw CBORError(.unexpectedType(.array), at: start)
        }
        place = count > 6 ? try reader.readInteger(Int.self) : 0
    }

    /// Of the versions of a record, items of CBOR, those that make it as of the event `last`, the
    /// oldest first: the newest through that event, and those before it up to one with the whole
    /// record.
    static func needed(
        of bytes: UnsafeRawBufferPointer, through last: SequenceNumber
    ) throws(CBORError) -> [RecordVersion] {
        var reader = CBORReader(bytes)
        var (start, end) = (0, 0)
        while !reader.isAtEnd {
            let offset = reader.offset
            let (sequence, isWhole) = try skip(&reader)
            if sequence > last { break }
            end = reader.offset
            if isWhole { start = offset }
        }
        reader = CBORReader(UnsafeRawBufferPointer(rebasing: bytes[..<end]), at: start)
        var versions: [RecordVersion] = []
        while !reader.isAtEnd { versions.append(try RecordVersion(&reader)) }
        return versions
    }

    /// Moves `reader` to the end of a version; returns its event, and whether it `isWhole`.
    private static func skip(
        _ reader: inout CBORReader
    ) throws(CBORError) -> (sequence: SequenceNumber, isWhole: Bool) {
        var inside = reader
        _ = try inside.readArrayHead()
        let kind = try inside.readInteger(UInt8.self)
        let sequence = SequenceNumber(rawValue: try inside.readInteger(UInt64.self))
        _ = try inside.skipValue()
        let isWhole =
            switch try inside.peekType() {
            case .map: true
            case .array: false
            default: kind != Kind.updated.rawValue
            }
        _ = try reader.skipValue(depth: -EventCoding.levelsAround)
        return (sequence, isWhole)
    }

    /// The sequence of the version at `reader`, which is moved to its end.
    static func skipSequence(_ reader: inout CBORReader) throws(CBORError) -> UInt64 {
        var inside = reader
        _ = try inside.readArrayHead()
        _ = try inside.readInteger(UInt8.self)
        let sequence = try inside.readInteger(UInt64.self)
        // A record may nest to the limit, in two arrays.
        _ = try reader.skipValue(depth: -EventCoding.levelsAround)
        return sequence
    }

    private static func readImage(_ reader: inout CBORReader) throws(CBORError) -> Image {
        if try reader.readNullIfPresent() { return .absent }
        guard try reader.peekType() == .array else { return .record(try readMap(&reader)) }
        let start = reader.offset
        guard try reader.readArrayHead() == 2 else {
            throw CBORError(.unexpectedType(.map), at: start)
        }
        let before = try readMap(&reader)
        return .difference(before: before, after: try readMap(&reader))
    }

    private static func readMap(_ reader: inout CBORReader) throws(CBORError) -> [UInt8] {
        guard try reader.peekType() == .map else {
            throw CBORError(.unexpectedType(.map), at: reader.offset)
        }
        let range = try reader.skipValue(depth: -EventCoding.levelsAround)
        return [UInt8](UnsafeRawBufferPointer(rebasing: reader.bytes[range]))
    }
}

/// Where the parts of a usual event are in its bytes: for readers of many events that copy most of
/// the bytes and look at few.
///
///     var outline = EventOutline()
///     if outline.read(bytes, expecting: sequence) { … } else { let event = … }
///
/// An event is usual if it inserts, updates and deletes records, each id once, and has neither an
/// idempotency key, schemas, keys that begin with `+`, nor metadata in another form than this
/// version writes. All others are to be decoded.
struct EventOutline {
    /// A change of a record; the ranges are those of its parts in the event's bytes.
    struct Change {
        /// UTF-8.
        var entity = 0..<0
        var id = 0..<0
        var before: Range<Int>?
        var after: Range<Int>?
        /// The version of the record's shape.
        var version = Evolver.firstVersion
    }

    private(set) var time = EventTime(microseconds: 0)
    private(set) var changes: [Change] = []
    /// Metadata and intent, which neighbours often share.
    private(set) var about = EventCoding.about(Metadata(), nil)
    /// The same, decoded.
    private(set) var decodedAbout: EventCoding.About = (Metadata(), nil)
    /// When the event happened.
    var happenedAt: EventTime { decodedAbout.metadata.occurredAt ?? time }
    /// Grows whenever they differ from those that were read last.
    private(set) var aboutNumber = 0
    /// Their keys and values, of the event that is read, and of the one before.
    private var (entries, lastEntries): ([UInt8], [UInt8]) = ([], [])
    private var lastEntity: [UInt8] = []

    /// Reads the event `sequence`; returns false if it is not a usual one, or not valid.
    ///
    /// - Complexity: O(size). Memory is allocated only for new metadata, and for several changes.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, expecting sequence: SequenceNumber
    ) -> Bool {
        (try? readParts(bytes, sequence)) ?? false
    }

    private mutating func readParts(
        _ bytes: UnsafeRawBufferPointer, _ expected: SequenceNumber
    ) throws -> Bool {
        var reader = CBORReader(bytes)
        var (sequence, time): (UInt64?, Int64?) = (nil, nil)
        var aboutCount = 0
        changes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        for _ in 0..<(try reader.readMapHead()) {
            let start = reader.offset
            let key = try reader.readUTF8()
            switch key {
            case EventCoding.Key.time: time = try reader.readInteger(Int64.self)
            case EventCoding.Key.sequence: sequence = try reader.readInteger(UInt64.self)
            case EventCoding.Key.changes: guard try readChanges(&reader) else { return false }
            case EventCoding.Key.key, EventCoding.Key.schema: return false
            default:
                try reader.skipValue()
                entries += UnsafeRawBufferPointer(rebasing: bytes[start..<reader.offset])
                aboutCount += 1
            }
        }
        guard reader.isAtEnd, sequence == expected.rawValue, let time, !changes.isEmpty else {
            return false
        }
        self.time = EventTime(microseconds: time)
        return try noteAbout(aboutCount) && isEachChangedOnce(bytes)
    }

    /// Returns whether the keys that are no others are those of metadata and intent, as they are
    /// written.
    private mutating func noteAbout(_ count: Int) throws -> Bool {
        if entries == lastEntries { return true }
        var writer = CBORWriter(capacity: entries.count + 1)
        writer.appendMapHead(count)
        writer.append(raw: entries)
        let decoded = try EventCoding.about(from: writer.array)
        // So there is neither a key of a later version nor another form of the same.
        let about = EventCoding.about(decoded.metadata, decoded.intent)
        guard writer.withUnsafeBytes({ $0.elementsEqual(about) }) else { return false }
        (self.about, decodedAbout, lastEntries) = (about, decoded, entries)
        aboutNumber += 1
        return true
    }

    private mutating func readChanges(_ reader: inout CBORReader) throws -> Bool {
        changes.removeAll(keepingCapacity: true)
        for _ in 0..<(try reader.readArrayHead()) {
            guard let change = try readChange(&reader) else { return false }
            changes.append(change)
        }
        return true
    }

    private mutating func readChange(_ reader: inout CBORReader) throws -> Change? {
        var change = Change()
        var former: Int?
        let versions = Evolver.firstVersion...Evolver.versionMax
        for _ in 0..<(try reader.readMapHead()) {
            let key = try reader.readUTF8()
            switch key {
            case EventCoding.Key.id: change.id = try reader.skipValue()
            case EventCoding.Key.after: change.after = try EventCoding.skipFields(&reader)
            case EventCoding.Key.before: change.before = try EventCoding.skipFields(&reader)
            case EventCoding.Key.entity:
                change.entity = try reader.readContent(.text)
                guard isText(reader.bytes, change.entity) else { return nil }
            case EventCoding.Key.version:
                change.version = try reader.readInteger(Int.self)
                guard change.version != versions.lowerBound, versions.contains(change.version)
                else { return nil }
            case EventCoding.Key.formerVersion:
                former = try reader.readInteger(Int.self)
                guard former.map(versions.contains) ?? false else { return nil }
            default: return nil
            }
        }
        guard !change.id.isEmpty, !change.entity.isEmpty else { return nil }
        let isUpdate = change.before != nil && change.after != nil
        if let former, !isUpdate || former == change.version { return nil }
        return change.before != nil || change.after != nil ? change : nil
    }

    /// Whether the name of an entity is UTF-8.
    private mutating func isText(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        if lastEntity.withUnsafeBytes({ bytes.equals($0, at: range) }) { return true }
        let name = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard String(validUTF8: name) != nil else { return false }
        lastEntity = Array(name)
        return true
    }

    private func isEachChangedOnce(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard changes.count > 1 else { return true }
        var ids = Set<RecordID>()
        // Records of two entities with the same id are few.
        return changes.allSatisfy { change in
            let id = UnsafeRawBufferPointer(rebasing: bytes[change.id])
            return ids.insert(RecordID(ByteString(id))).inserted
        }
    }
}

extension EventCoding {
    /// Decodes an event. O(size).
    ///
    /// - Throws: `StoreError` with `.invalidEvent` if `bytes` are not an event, or its sequence is
    ///   not `expected`; `.unsupportedFormat` if a newer version wrote it.
    static func event(
        from bytes: UnsafeRawBufferPointer, expecting expected: SequenceNumber
    ) throws -> Event {
        do {
            let event = try read(bytes)
            guard event.sequence == expected else {
                throw invalid("it says that it is event \(event.sequence)", expected)
            }
            return event
        } catch let error as CBORError {
            throw invalid(error.description, expected)
        } catch let error as Malformed {
            throw invalid(error.why, expected)
        } catch let error as Unsupported {
            throw StoreError(
                .unsupportedFormat,
                "event \(expected) \(error.what); use a newer version. Nothing was changed",
                at: StoreError.Place(sequences: expected...expected))
        }
    }

    private struct Malformed: Error {
        let why: String
    }

    /// A part of an event that only a newer version understands.
    private struct Unsupported: Error {
        let what: String
    }

    private static func invalid(_ why: String, _ sequence: SequenceNumber) -> StoreError {
        StoreError(
            .invalidEvent,
            "event \(sequence) is not valid: \(why)",
            at: StoreError.Place(sequences: sequence...sequence))
    }

    /// The time of an event, without reading the rest; nil if it says none. O(size).
    static func time(of bytes: UnsafeRawBufferPointer) -> EventTime? {
        var reader = CBORReader(bytes)
        guard let count = try? reader.readMapHead() else { return nil }
        for _ in 0..<count {
            guard let key = try? reader.readUTF8() else { return nil }
            if case Key.time = key {
                return (try? reader.readInteger(Int64.self)).map { EventTime(microseconds: $0) }
            }
            guard (try? reader.skipValue()) != nil else { return nil }
        }
        return nil
    }

    /// The time of an event, in microseconds since 1970; 0 if it says none.
    @Sendable
    static func microseconds(of bytes: UnsafeRawBufferPointer) -> Int64 {
        time(of: bytes)?.microseconds ?? 0
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) throws -> Event {
        var sequence: UInt64?
        var time: Int64?
        var eventKey: String?
        var about: About = (Metadata(), nil)
        var changes = Changes()
        var additions = Additions()
        var schemas = NamedValues<EntitySchema>()
        var reader = CBORReader(bytes)
        for _ in 0..<(try reader.readMapHead()) {
            let key = try reader.readUTF8()
            switch key {
            case Key.key: eventKey = try readKey(&reader)
            case Key.time: time = try reader.readInteger(Int64.self)
            case Key.schema: schemas = try readSchemas(&reader)
            case Key.changes: changes = try readChanges(&reader)
            case Key.sequence: sequence = try reader.readInteger(UInt64.self)
            default:
                if try !read(key, &reader, into: &about) {
                    try readAddition(key, &reader, &additions)
                }
            }
        }
        try reader.finish()
        guard let sequence, let time else {
            throw Malformed(why: "it has no sequence or no time")
        }
        return Event(
            sequence: SequenceNumber(rawValue: sequence), time: EventTime(microseconds: time),
            metadata: about.metadata, intent: about.intent, key: eventKey,
            changes: changes.all, additions: try additions.fields(),
            changeAdditions: changes.additions, versions: changes.versions,
            formerVersions: changes.formerVersions, schemas: schemas)
    }

    /// Reads the value of a key that this version does not know.
    private static func readAddition(
        _ key: UnsafeRawBufferPointer, _ reader: inout CBORReader, in place: String = "",
        _ additions: inout Additions
    ) throws {
        guard key.first == UInt8(ascii: "+") else {
            let name = String(decoding: key, as: UTF8.self)
            throw Unsupported(what: "has the unknown key \"\(name)\"\(place)")
        }
        let range = try reader.skipValue()
        try additions.append(key, UnsafeRawBufferPointer(rebasing: reader.bytes[range]))
    }

    /// Reads a text of the metadata, which a later version may have protected.
    static func readText(_ reader: inout CBORReader) throws -> String {
        var ahead = reader
        if try reader.peekType() == .tag, try CBORFormat.Tag.reserved.contains(ahead.readTag()) {
            throw Unsupported(what: "has metadata that this version cannot read")
        }
        return try reader.readText()
    }

    /// Reads an idempotency key.
    private static func readKey(_ reader: inout CBORReader) throws -> String {
        let key = try readText(&reader)
        guard IdempotencyKey.isValid(key) else {
            throw Malformed(why: "its key has \(key.utf8.count) bytes")
        }
        return key
    }

    static func readTags(_ reader: inout CBORReader) throws -> NamedValues<String> {
        var tags = NamedValues<String>()
        for _ in 0..<(try reader.readMapHead()) {
            let name = try reader.readText()
            tags[name] = try readText(&reader)
        }
        return tags
    }

    static func readIntent(_ reader: inout CBORReader) throws -> Intent {
        var name: String?
        var version = Intent.firstVersion
        var (encoded, output): ([UInt8]?, [UInt8]?)
        var ids: [UInt8] = []
        var additions = Additions()
        for _ in 0..<(try reader.readMapHead()) {
            let key = try reader.readUTF8()
            switch key {
            case Key.ids: ids = try readIDs(&reader)
            case Key.name: name = try reader.readText()
            case Key.value: encoded = try readValue(&reader)
            case Key.result: output = try readValue(&reader)
            case Key.version: version = try readVersion(ofIntent: &reader)
            default: try readAddition(key, &reader, in: " in its intent", &additions)
            }
        }
        guard let name, let encoded else {
            throw Malformed(why: "its intent has no name or no value")
        }
        return Intent(
            name: name, version: version, encoded: encoded, idBytes: ids, encodedOutput: output,
            additions: try additions.fields())
    }

    /// The bytes of a value, not decoded.
    private static func readValue(_ reader: inout CBORReader) throws -> [UInt8] {
        let range = try reader.skipValue()
        return [UInt8](UnsafeRawBufferPointer(rebasing: reader.bytes[range]))
    }

    private static func readIDs(_ reader: inout CBORReader) throws -> [UInt8] {
        let range = try reader.readContent(.bytes)
        guard !range.isEmpty, range.count % Intent.idByteCount == 0 else {
            throw Malformed(why: "its intent has ids of \(range.count) bytes")
        }
        return [UInt8](UnsafeRawBufferPointer(rebasing: reader.bytes[range]))
    }

    private static func readVersion(ofIntent reader: inout CBORReader) throws -> Int {
        let version = try reader.readInteger(Int.self)
        guard version > Intent.firstVersion, version <= Intent.versionMax else {
            throw Malformed(why: "its intent has the version \(version)")
        }
        return version
    }

    private static func readSchemas(
        _ reader: inout CBORReader
    ) throws -> NamedValues<EntitySchema> {
        let range = try reader.skipValue()
        let map = UnsafeRawBufferPointer(rebasing: reader.bytes[range])
        guard let schemas = try NamedValues<EntitySchema>(map, levelsAround: -levelsAround) else {
            throw Malformed(why: "its schema has no version")
        }
        return schemas
    }

    private struct Changes {
        var all: [Change] = []
        var additions: [Int: Fields] = [:]
        /// The versions of the records; empty while all are the first.
        var versions: [Int] = []
        var formerVersions: [Int: Int] = [:]

        mutating func append(_ versioned: VersionedChange) {
            let (change, version) = (versioned.change, versioned.version)
            if let former = versioned.formerVersion { formerVersions[all.count] = former }
            if version != Evolver.firstVersion, versions.isEmpty {
                versions = Array(repeating: Evolver.firstVersion, count: all.count)
            }
            all.append(change)
            if version != Evolver.firstVersion || !versions.isEmpty { versions.append(version) }
        }
    }

    private static func readChanges(_ reader: inout CBORReader) throws -> Changes {
        let count = try reader.readArrayHead()
        var changes = Changes()
        for index in 0..<count {
            var additions = Additions()
            changes.append(try readChange(&reader, &additions))
            if !additions.isEmpty { changes.additions[index] = try additions.fields() }
        }
        return changes
    }

    private static func readChange(
        _ reader: inout CBORReader, _ additions: inout Additions
    ) throws -> VersionedChange {
        var version = Evolver.firstVersion
        var former: Int?
        var entity: String?
        var id: RecordID?
        var before: Fields?
        var after: Fields?
        var cleared: Int?
        for _ in 0..<(try reader.readMapHead()) {
            let key = try reader.readUTF8()
            switch key {
            case Key.id:
                let range = try reader.skipValue()
                id = RecordID(ByteString(UnsafeRawBufferPointer(rebasing: reader.bytes[range])))
            case Key.after: after = try readFields(&reader)
            case Key.before: before = try readFields(&reader)
            case Key.entity: entity = try reader.readText()
            case Key.cleared: cleared = try reader.readInteger(Int.self)
            case Key.version: version = try readVersion(&reader, from: Evolver.firstVersion + 1)
            case Key.formerVersion: former = try readVersion(&reader, from: Evolver.firstVersion)
            default: try readAddition(key, &reader, in: " in a change", &additions)
            }
        }
        let change = try Self.change(entity, id, before, after, cleared)
        if case .cleared = change, version != Evolver.firstVersion {
            throw Malformed(why: "a clearing has a version")
        }
        if let former {
            guard case .updated = change, former != version else {
                throw Malformed(why: "a change has a former version, and is no update to another")
            }
        }
        return VersionedChange(change, version: version, formerVersion: former)
    }

    /// The version of a record's shape.
    private static func readVersion(
        _ reader: inout CBORReader, from first: Int
    ) throws -> Int {
        let version = try reader.readInteger(Int.self)
        guard version >= first, version <= Evolver.versionMax else {
            throw Malformed(why: "a record has the version \(version) of its shape")
        }
        return version
    }

    private static func change(
        _ entity: String?, _ id: RecordID?, _ before: Fields?, _ after: Fields?, _ cleared: Int?
    ) throws -> Change {
        guard entity?.isEmpty != true else {
            throw Malformed(why: "a change is of an entity without a name")
        }
        switch (entity, id, before, after, cleared) {
        case (let entity?, let id?, nil, let after?, nil):
            return .inserted(Record(entity: entity, id: id, fields: after))
        case (let entity?, let id?, let before?, let after?, nil):
            return .updated(entity: entity, id: id, before: before, after: after)
        case (let entity?, let id?, let before?, nil, nil):
            return .deleted(Record(entity: entity, id: id, fields: before))
        case (let entity?, nil, nil, nil, let count?) where count >= 0:
            return .cleared(entity: entity, count: count)
        default:
            throw Malformed(why: "a change is neither insertion, update, deletion nor clearing")
        }
    }

    /// Reads a map without decoding its values, after checking that it is one.
    private static func readFields(_ reader: inout CBORReader) throws -> Fields {
        let range = try skipFields(&reader)
        return Fields(trusted: [UInt8](UnsafeRawBufferPointer(rebasing: reader.bytes[range])))
    }

    /// Moves `reader` to the end of a map, and returns its place, after checking that it is one.
    static func skipFields(_ reader: inout CBORReader) throws(CBORError) -> Range<Int> {
        var fields = try MapEntries(reader.bytes, at: reader.offset)
        while try fields.next() != nil {}
        let range = reader.offset..<fields.reader.offset
        reader.offset = range.upperBound
        return range
    }
}

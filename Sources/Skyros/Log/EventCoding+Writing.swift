extension EventCoding {
    /// Appends `event` to `writer`, without additions. O(size).
    static func appendPlain(_ event: Event, to writer: inout CBORWriter) {
        append(
            event.sequence, event.time, event.key, event.metadata, event.intent,
            event.versionedChanges, event.schemas, to: &writer)
    }

    /// Appends the event that `batch` becomes.
    static func append(
        _ batch: borrowing CommandBatch, as sequence: SequenceNumber, at time: EventTime,
        to writer: inout CBORWriter
    ) {
        append(
            sequence, time, batch.key?.text, batch.metadata, batch.intent,
            batch.changes.lazy.map(\.versioned), batch.schemas, to: &writer)
    }

    private static func append(
        _ sequence: SequenceNumber, _ time: EventTime, _ key: String?, _ metadata: Metadata,
        _ intent: Intent?, _ changes: some Collection<VersionedChange>,
        _ schemas: NamedValues<EntitySchema>, to writer: inout CBORWriter
    ) {
        // Time, changes and sequence are always there.
        let moreCount =
            aboutCount(metadata, intent) + (schemas.isEmpty ? 0 : 1) + (key == nil ? 0 : 1)
        writer.appendMapHead(3 + moreCount)
        append(key, Key.key, to: &writer)
        if !metadata.tags.isEmpty { append(metadata.tags, to: &writer) }
        writer.append(text: Key.time)
        writer.append(time.microseconds)
        append(metadata.actor, Key.actor, to: &writer)
        if let intent { append(intent, to: &writer) }
        append(metadata.reason, Key.reason, to: &writer)
        if !schemas.isEmpty {
            writer.append(text: Key.schema)
            schemas.append(to: &writer)
        }
        writer.append(text: Key.changes)
        writer.appendArrayHead(changes.count)
        for change in changes { append(change, to: &writer) }
        writer.append(text: Key.sequence)
        writer.append(sequence.rawValue)
        append(metadata.causation, Key.causation, to: &writer)
        append(metadata.occurredAt, to: &writer)
        append(metadata.correlation, Key.correlation, to: &writer)
    }

    static func append(_ occurredAt: EventTime?, to writer: inout CBORWriter) {
        guard let occurredAt else { return }
        writer.append(text: Key.occurredAt)
        writer.append(occurredAt.microseconds)
    }

    static func append(_ text: String?, _ key: StaticString, to writer: inout CBORWriter) {
        guard let text else { return }
        writer.append(text: key)
        writer.append(text: text)
    }

    static func append(_ tags: NamedValues<String>, to writer: inout CBORWriter) {
        writer.append(text: Key.tags)
        writer.appendMapHead(tags.count)
        for (name, value) in tags {
            writer.append(text: name)
            writer.append(text: value)
        }
    }

    static func append(_ intent: Intent, to writer: inout CBORWriter) {
        writer.append(text: Key.intent)
        appendParts(of: intent, to: &writer)
    }

    static func appendParts(of intent: Intent, to writer: inout CBORWriter) {
        let hasIDs = !intent.idBytes.isEmpty
        let hasVersion = intent.version != Intent.firstVersion
        writer.appendMapHead(
            2 + (hasIDs ? 1 : 0) + (intent.encodedOutput == nil ? 0 : 1) + (hasVersion ? 1 : 0))
        if hasIDs {
            writer.append(text: Key.ids)
            writer.append(bytes: intent.idBytes)
        }
        writer.append(text: Key.name)
        writer.append(text: intent.name)
        writer.append(text: Key.value)
        writer.append(raw: intent.encoded)
        if let output = intent.encodedOutput {
            writer.append(text: Key.result)
            writer.append(raw: output)
        }
        if hasVersion {
            writer.append(text: Key.version)
            writer.append(Int64(intent.version))
        }
    }

    static func append(_ versioned: VersionedChange, to writer: inout CBORWriter) {
        let more = count(of: versioned)
        switch versioned.change {
        case .inserted(let record):
            writer.appendMapHead(3 + more)
            append(record.id, to: &writer)
            append(record.fields.bytes, Key.after, to: &writer)
            append(entity: record.entity, to: &writer)
        case .updated(let entity, let id, let before, let after):
            writer.appendMapHead(4 + more)
            append(id, to: &writer)
            append(after.bytes, Key.after, to: &writer)
            append(before.bytes, Key.before, to: &writer)
            append(entity: entity, to: &writer)
        case .deleted(let record):
            writer.appendMapHead(3 + more)
            append(record.id, to: &writer)
            append(record.fields.bytes, Key.before, to: &writer)
            append(entity: record.entity, to: &writer)
        case .cleared(let entity, let count):
            writer.appendMapHead(2)
            append(entity: entity, to: &writer)
            writer.append(text: Key.cleared)
            writer.append(Int64(count))
            return
        }
        if more > 0 { appendShape(of: versioned, to: &writer) }
    }

    /// The number of keys that `appendShape` writes.
    private static func count(of versioned: VersionedChange) -> Int {
        (versioned.version == Evolver.firstVersion ? 0 : 1)
            + (versioned.formerVersion == nil ? 0 : 1) + (versioned.evolved.isEmpty ? 0 : 1)
    }

    private static func appendShape(
        of versioned: VersionedChange, to writer: inout CBORWriter
    ) {
        if versioned.version != Evolver.firstVersion {
            writer.append(text: Key.version)
            writer.append(Int64(versioned.version))
        }
        if !versioned.evolved.isEmpty {
            writer.append(text: Key.evolved)
            writer.appendArrayHead(versioned.evolved.count)
            for name in versioned.evolved { writer.append(text: name) }
        }
        if let former = versioned.formerVersion {
            writer.append(text: Key.formerVersion)
            writer.append(Int64(former))
        }
    }

    private static func append(_ id: RecordID, to writer: inout CBORWriter) {
        writer.append(text: Key.id)
        id.bytes.withUnsafeBytes { writer.append(raw: $0) }
    }

    private static func append(_ fields: [UInt8], _ key: StaticString, to writer: inout CBORWriter)
    {
        writer.append(text: key)
        writer.append(raw: fields)
    }

    private static func append(entity: String, to writer: inout CBORWriter) {
        writer.append(text: Key.entity)
        writer.append(text: entity)
    }
}

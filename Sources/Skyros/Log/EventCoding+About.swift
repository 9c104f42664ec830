/// Who, why and what for: metadata and intent of an event, apart from its changes.
extension EventCoding {
    typealias About = (metadata: Metadata, intent: Intent?)

    /// A canonical map with the keys that they have in an event.
    static func about(_ metadata: Metadata, _ intent: Intent?) -> [UInt8] {
        var writer = CBORWriter()
        writer.appendMapHead(aboutCount(metadata, intent))
        if !metadata.tags.isEmpty { append(metadata.tags, to: &writer) }
        append(metadata.actor, Key.actor, to: &writer)
        if let intent { append(intent, to: &writer) }
        append(metadata.reason, Key.reason, to: &writer)
        append(metadata.causation, Key.causation, to: &writer)
        append(metadata.occurredAt, to: &writer)
        append(metadata.correlation, Key.correlation, to: &writer)
        return writer.array
    }

    /// The number of their keys.
    static func aboutCount(_ metadata: Metadata, _ intent: Intent?) -> Int {
        var count = 0
        if !metadata.tags.isEmpty { count += 1 }
        if metadata.actor != nil { count += 1 }
        if intent != nil { count += 1 }
        if metadata.reason != nil { count += 1 }
        if metadata.causation != nil { count += 1 }
        if metadata.occurredAt != nil { count += 1 }
        if metadata.correlation != nil { count += 1 }
        return count
    }

    /// Reads what `about` has made.
    ///
    /// - Throws: if the bytes are not that, or a newer version wrote them.
    static func about(from bytes: [UInt8]) throws -> About {
        try bytes.withUnsafeBytes { bytes in
            var about: About = (Metadata(), nil)
            var reader = CBORReader(bytes)
            for _ in 0..<(try reader.readMapHead()) {
                let key = try reader.readUTF8()
                if try !read(key, &reader, into: &about) { try reader.skipValue() }
            }
            try reader.finish()
            return about
        }
    }

    /// Reads the value of a key of metadata or intent; returns false, and reads nothing, if it is
    /// another key.
    static func read(
        _ key: UnsafeRawBufferPointer, _ reader: inout CBORReader, into about: inout About
    ) throws -> Bool {
        switch key {
        case Key.tags: about.metadata.tags = try readTags(&reader)
        case Key.actor: about.metadata.actor = try readText(&reader)
        case Key.intent: about.intent = try readIntent(&reader)
        case Key.reason: about.metadata.reason = try readText(&reader)
        case Key.causation: about.metadata.causation = try readText(&reader)
        case Key.occurredAt:
            let microseconds = try reader.readInteger(Int64.self)
            about.metadata.occurredAt = EventTime(microseconds: microseconds)
        case Key.correlation: about.metadata.correlation = try readText(&reader)
        default: return false
        }
        return true
    }
}

extension EventCoding {
    /// The keys of an event, an intent or a change that begin with `+`, while it is read.
    struct Additions {
        private var entries: [(key: [UInt8], value: [UInt8])] = []

        var isEmpty: Bool { entries.isEmpty }

        /// Adds a key, which must be UTF-8, and its encoded value.
        mutating func append(
            _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
        ) throws(CBORError) {
            guard let text = String(validUTF8: key) else { throw CBORError(.invalidText, at: 0) }
            var writer = CBORWriter(capacity: key.count + 9)
            writer.append(text: text)
            entries.append((writer.array, [UInt8](value)))
        }

        /// The keys as a canonical map.
        func fields() throws(CBORError) -> Fields {
            if entries.isEmpty { return .none }
            var writer = CBORWriter()
            writer.appendMapHead(entries.count)
            for entry in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                writer.append(raw: entry.key)
                writer.append(raw: entry.value)
            }
            // The limit is that of the value, without the map around it.
            return try Fields(canonical: writer.array, levelsAround: -1)
        }
    }

    /// Appends `event` to `writer`, with what a later version has added to it. O(size).
    ///
    /// - Throws: `CBORError` if an addition is not a canonical map.
    static func append(_ event: Event, to writer: inout CBORWriter) throws(CBORError) {
        let hasAdditions =
            event.additions != .none || !event.changeAdditions.isEmpty
            || (event.intent?.additions ?? .none) != .none
        guard hasAdditions else { return appendPlain(event, to: &writer) }
        let bare = Event(
            sequence: event.sequence, time: event.time, metadata: event.metadata, intent: nil,
            key: event.key, changes: [], schemas: event.schemas)
        var bytes = encoded { appendPlain(bare, to: &$0) }
        bytes = try merge(bytes, try changes(of: event))
        if let intent = event.intent { bytes = try merge(bytes, try map(of: intent)) }
        writer.append(raw: try merge(bytes, event.additions.bytes))
    }

    /// A map with the key `changes`.
    private static func changes(of event: Event) throws(CBORError) -> [UInt8] {
        var writer = CBORWriter()
        writer.appendMapHead(1)
        writer.append(text: Key.changes)
        writer.appendArrayHead(event.changes.count)
        for (index, change) in event.versionedChanges.enumerated() {
            let plain = encoded { append(change, to: &$0) }
            writer.append(raw: try merge(plain, event.additions(toChange: index).bytes))
        }
        return writer.array
    }

    /// A map with the key `intent`.
    private static func map(of intent: Intent) throws(CBORError) -> [UInt8] {
        let plain = encoded { appendParts(of: intent, to: &$0) }
        var writer = CBORWriter()
        writer.appendMapHead(1)
        writer.append(text: Key.intent)
        writer.append(raw: try merge(plain, intent.additions.bytes))
        return writer.array
    }

    private static func merge(_ map: [UInt8], _ more: [UInt8]) throws(CBORError) -> [UInt8] {
        try Fields.merge(
            map, before: Fields.none.bytes, after: more, levelsAround: -levelsAround)
    }

    private static func encoded(_ body: (inout CBORWriter) -> Void) -> [UInt8] {
        var writer = CBORWriter()
        body(&writer)
        return writer.array
    }
}

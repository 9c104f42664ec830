/// Who, why and what for: metadata and intent of an event, apart from its changes.
extension EventCoding {
    /// A canonical map with the keys that they have in an event.
    static func about(_ metadata: Metadata, _ intent: Intent?) -> [UInt8] {
        var writer = CBORWriter()
        appendAbout(metadata, intent, to: &writer)
        return writer.array
    }

    /// Reads what `about` has made.
    ///
    /// - Throws: `CBORError`, or `StoreError` if a newer version wrote it.
    static func about(from bytes: [UInt8]) throws -> (metadata: Metadata, intent: Intent?) {
        try bytes.withUnsafeBytes { try readAbout($0) }
    }
}

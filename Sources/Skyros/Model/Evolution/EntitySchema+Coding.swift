// The map `schema` of an event, and of a checkpoint: the schemas by their entities' names.

extension NamedValues where Value == EntitySchema {
    /// The schemas as a canonical map.
    var encoded: [UInt8] {
        var writer = CBORWriter()
        append(to: &writer)
        return writer.array
    }

    func append(to writer: inout CBORWriter) {
        writer.appendMapHead(count)
        // In canonical order, which is that of the names.
        for (entity, schema) in self {
            writer.append(text: entity)
            writer.append(raw: schema.parts.bytes)
        }
    }

    /// The schemas in a map; nil if one of them has no version.
    ///
    /// - Throws: `CBORError` if it is no canonical map of such maps.
    init?(_ bytes: UnsafeRawBufferPointer, levelsAround: Int) throws(CBORError) {
        self.init()
        _ = try Fields(canonical: [UInt8](bytes), levelsAround: levelsAround)
        var entries = try MapEntries(bytes)
        while let entry = try entries.next() {
            var key = CBORReader(bytes, at: entry.start)
            let entity = try key.readText()
            let parts = [UInt8](UnsafeRawBufferPointer(rebasing: bytes[entry.value]))
            let fields = try Fields(canonical: parts, levelsAround: levelsAround)
            guard let schema = EntitySchema(fields) else { return nil }
            self[entity] = schema
        }
    }
}

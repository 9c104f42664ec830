import SkyrosLog

extension Fields {
    /// The kinds of the fields that are not null. O(n).
    func kinds() throws(CBORError) -> NamedValues<ColumnKind> {
        try bytes.withBytes { bytes throws(CBORError) in
            var kinds = NamedValues<ColumnKind>()
            var entries = try MapEntries(bytes)
            while let entry = try entries.next() {
                let value = UnsafeRawBufferPointer(rebasing: bytes[entry.value])
                guard let kind = try ColumnKind(decidedBy: value) else { continue }
                var key = CBORReader(bytes, at: entry.start)
                kinds[try key.readText()] = kind
            }
            return kinds
        }
    }
}

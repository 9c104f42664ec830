package import SkyrosDisk

/// The stores to which the segments in a directory belong.
package enum SegmentOwners {
    /// The store that each segment's header names, in the order of the segments; without floors
    /// and temporary files, and without those whose headers cannot be read. O(files).
    ///
    /// - Throws: `LogError` with `.io`; `.unsupportedFormat` if a newer version wrote a segment.
    package static func storeIDs(on disk: any Disk) throws(LogError) -> [StoreID] {
        var ids: [StoreID] = []
        for name in try SegmentName.list(on: disk) where name.kind.isSegment {
            if let header = try SegmentFile(name, on: disk).header { ids.append(header.storeID) }
        }
        return ids
    }
}

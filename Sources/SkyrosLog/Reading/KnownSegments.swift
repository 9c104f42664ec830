import SkyrosDisk

/// Sealed segments that were read before, so that the next inspection of a log opens only those
/// that are new. Their files never change.
struct KnownSegments {
    private var byName: [SegmentName: SealedSegment]

    init(_ segments: [SealedSegment] = []) {
        byName = Dictionary(segments.map { ($0.name, $0) }) { _, last in last }
    }

    /// The segment with this name: the one that is known, if it is still the same file.
    ///
    /// - Throws: `LogError`, as opening the segment does.
    mutating func segment(
        _ name: SegmentName, on disk: any Disk
    ) throws(LogError) -> SealedSegment {
        if let known = byName[name], try onDisk(disk.status(of: name.path)) == known.status {
            return known
        }
        let segment = try SealedSegment(name, on: disk)
        byName[name] = segment
        return segment
    }
}

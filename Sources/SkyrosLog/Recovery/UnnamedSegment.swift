import SkyrosDisk

/// The active segment that a backup had no time to name.
///
/// A backup gives a sealed segment its name while its successor, which is empty, has a temporary
/// one: so the log ends in a sealed segment for a moment. No store does that, so without such a
/// file the successor is lost, with what it held.
enum UnnamedSegment {
    /// The empty segment that continues the batch `end`, closed in order; nil if there is none.
    ///
    /// - Throws: `LogError` if a disk operation fails.
    static func successor(of end: LogHead, on disk: any Disk) throws(LogError) -> OpenSegment? {
        let temporary = SegmentName(end.sequence + 1, .temporary)
        guard try onDisk(disk.status(of: temporary.path)) != nil else { return nil }
        do throws(LogError) {
            let file = try onDisk(disk.open(temporary.path, .read))
            let segment = try OpenSegment(SegmentName(end.sequence + 1, .open), file: file)
            let isWhole =
                segment.header.chainHashBefore == end.chainHash && segment.scan.head == end
                && segment.scan.lastKind == .closing && segment.scan.stop == .endOfFile
            return isWhole ? segment : nil
        } catch {
            // Another temporary file, which may be anything.
            guard error.isDamage else { throw error }
            return nil
        }
    }
}

import SkyrosDisk

/// Removes the scans of files whose batches another, undamaged file holds, as an opening does (see
/// `SegmentResolution`). What is damaged or torn in them is no loss.
struct CoveredScans {
    let disk: any Disk
    let format: FrameFormat

    /// - Parameter scans: in the order of their first sequences.
    func removed(from scans: [SegmentDamageScan]) throws(LogError) -> [SegmentDamageScan] {
        var kept: [SegmentDamageScan] = []
        let rivals = Self.rivals(in: scans.map(Self.extent))
        for (index, scan) in scans.enumerated() {
            var isCovered = false
            for other in rivals[index] where !isCovered {
                let cover = scans[other]
                isCovered =
                    if scan.file.isSealed, !cover.file.isSealed {
                        try replaces(cover, scan, isContinued: Self.isContinued(cover, in: scans))
                    } else {
                        // Of two equal files, the sealed one is kept.
                        try holds(cover, scan, orEqual: cover.file.isSealed)
                    }
                if !isCovered { isCovered = try isCopy(scan, of: cover) }
            }
            if !isCovered { kept.append(scan) }
        }
        return kept
    }

    /// The first sequence that a file names, and the last one that was read of it.
    private static func extent(of scan: SegmentDamageScan) -> (first: UInt64, last: UInt64) {
        let first = scan.file.firstSequence
        return (first, max(first, scan.extents.last?.sequences.upperBound ?? 0))
    }

    /// For each file, the others that may hold its batches: they reach its first sequence.
    ///
    /// O(files), unless many hold the same batches.
    ///
    /// - Parameter extents: in the order of their first sequences.
    static func rivals(in extents: [(first: UInt64, last: UInt64)]) -> [[Int]] {
        var rivals = [[Int]](repeating: [], count: extents.count)
        // The files so far that reach the current one.
        var reaching: [Int] = []
        for (index, extent) in extents.enumerated() {
            reaching.removeAll { extents[$0].last < extent.first }
            rivals[index] = reaching
            for other in reaching where extents[other].first == extent.first {
                rivals[other].append(index)
            }
            reaching.append(index)
        }
        return rivals
    }

    /// Whether an open file counts instead of a sealed one: it continues after it, or the sealed
    /// one is damaged and another file continues the open one.
    private func replaces(
        _ open: SegmentDamageScan, _ sealed: SegmentDamageScan, isContinued: Bool
    ) throws(LogError) -> Bool {
        guard open.damages.isEmpty, open.tornTail == nil, let last = open.extents.last,
            open.file.firstSequence == sealed.file.name.firstSequence
        else { return false }
        guard let end = sealed.statedEnd, let sealedLast = sealed.lastKnown else {
            return isContinued
        }
        guard try chainHash(open, through: sealedLast) == end else { return false }
        let isLonger = last.sequences.upperBound > sealedLast
        return isLonger || (isContinued && !sealed.damages.isEmpty)
    }

    /// Whether another file begins exactly where this one ends.
    private static func isContinued(
        _ scan: SegmentDamageScan, in scans: [SegmentDamageScan]
    ) -> Bool {
        guard let last = scan.extents.last, last.sequences.upperBound < .max else { return false }
        return scans.contains { other in
            guard let header = other.file.header else { return false }
            return header.storeID == scan.file.header?.storeID
                && header.firstSequence == last.sequences.upperBound + 1
                && header.chainHashBefore == last.chainHashAfter
        }
    }

    /// Whether `cover` is undamaged and holds all that `scan` found.
    private func holds(
        _ cover: SegmentDamageScan, _ scan: SegmentDamageScan, orEqual: Bool
    ) throws(LogError) -> Bool {
        guard cover.damages.isEmpty, cover.tornTail == nil, let id = cover.file.header?.storeID,
            let first = cover.extents.first, let last = cover.extents.last,
            scan.file.header.map({ $0.storeID == id }) ?? true
        else { return false }
        let range = first.sequences.lowerBound...last.sequences.upperBound
        guard range.contains(scan.file.firstSequence) else { return false }
        guard let start = scan.extents.first, let end = scan.extents.last else {
            // It holds no batch, or none that can be read.
            return cover.file.isSealed && scan.lastKnown ?? 0 <= range.upperBound
        }
        let isShorter =
            end.sequences.upperBound < range.upperBound
            || start.sequences.lowerBound > range.lowerBound
        guard start.sequences.lowerBound >= range.lowerBound,
            end.sequences.upperBound <= range.upperBound, isShorter || orEqual
        else { return false }
        let before = try chainHash(cover, through: start.sequences.lowerBound - 1)
        let after = try chainHash(cover, through: end.sequences.upperBound)
        return start.chainHashBefore == before && end.chainHashAfter == after
    }

    /// Whether a file is the same as another one, byte for byte, under a name that its header
    /// contradicts: then all that is in it is where it belongs.
    private func isCopy(
        _ scan: SegmentDamageScan, of cover: SegmentDamageScan
    ) throws(LogError) -> Bool {
        guard scan.file.mismatch != nil, cover.file.mismatch == nil else { return false }
        return try scan.file.readableBytes(on: disk) == cover.file.readableBytes(on: disk)
    }

    private func chainHash(
        _ cover: SegmentDamageScan, through sequence: UInt64
    ) throws(LogError) -> ChainHash? {
        if let next = cover.extents.first(where: { $0.sequences.lowerBound == sequence + 1 }) {
            return next.chainHashBefore
        }
        if let last = cover.extents.last, last.sequences.upperBound == sequence {
            return last.chainHashAfter
        }
        return try cover.extents.first { $0.sequences.contains(sequence) }?
            .chunk(on: disk, format).chainHash(through: sequence)
    }
}

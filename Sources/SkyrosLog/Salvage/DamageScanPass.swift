import SkyrosDisk

/// One pass of a damage scan over all files of a log.
struct DamageScanPass {
    let disk: any Disk
    let format: FrameFormat

    /// What is there; nil if there is no segment.
    ///
    /// - Parameter progress: called after each file with the number of bytes read, and that of all.
    func findings(
        _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws(LogError) -> DamageScan.Findings? {
        // Open files first: a writer may seal them soon, and removes them then.
        let names = try SegmentName.list(on: disk)
        var files: [SegmentFile] = []
        for name in names where name.kind == .open {
            files.append(try SegmentFile(name, on: disk))
        }
        for name in names where name.kind == .sealed {
            files.append(try SegmentFile(name, on: disk))
        }
        guard !files.isEmpty else { return nil }
        // A sealed segment comes before its open twin.
        files.sort {
            ($0.firstSequence, $0.isSealed ? 0 : 1) < ($1.firstSequence, $1.isSealed ? 0 : 1)
        }
        let storeID = Self.storeID(of: files)
        let context = SegmentDamageScan.Context(
            disk: disk, format: format,
            chainHashesBefore: Self.chainHashesBefore(files, of: storeID))
        var scans: [SegmentDamageScan] = []
        var sizes: [Int] = []
        for file in files {
            sizes.append(try onDisk(disk.status(of: file.name.path))?.sizeBytes ?? 0)
        }
        let byteCount = sizes.reduce(0, +)
        var doneCount = 0
        for (file, size) in zip(files, sizes) {
            let next = files.first { $0.firstSequence > file.firstSequence }?.firstSequence
            scans.append(try SegmentDamageScan(of: file, next: next, context))
            doneCount += size
            progress(doneCount, byteCount)
        }
        Self.rejectForeign(in: &scans, storeID)
        let all = scans
        scans = try CoveredScans(disk: disk, format: format).removed(from: scans)
        let result = DamageScanResult(
            scans, of: all, storeID, hasUnnamed: try hasUnnamedSegment(after: scans.last))
        var findings = DamageScan.Findings(
            storeID: storeID, originID: result.originID, damages: result.damages,
            prefix: result.prefix, rest: result.rest)
        findings.tornTail = scans.lazy.compactMap(\.tornTail).first
        findings.isStoreProved =
            files.contains { $0.header != nil } || !result.prefix.isEmpty
        findings.statedTimes = scans.filter { !$0.isForeign }.flatMap(\.statedTimes)
        findings.statistics.segmentCount = files.count
        findings.statistics.sealedSegmentCount = files.count { $0.isSealed }
        findings.statistics.contentBytes = result.prefix.reduce(0) {
            $0 + ($1.contentByteCount ?? $1.byteCount)
        }
        findings.statistics.fileBytes = byteCount
        return findings
    }

    private func hasUnnamedSegment(after last: SegmentDamageScan?) throws(LogError) -> Bool {
        guard let last, last.file.isSealed, let end = last.extents.last else { return false }
        let head = LogHead(sequence: end.sequences.upperBound, chainHash: end.chainHashAfter)
        return try UnnamedSegment.successor(of: head, on: disk) != nil
    }

    /// Replaces what the scans found in segments of other stores by that one damage.
    private static func rejectForeign(in scans: inout [SegmentDamageScan], _ storeID: StoreID?) {
        // Those that continue a foreign one are foreign too.
        while let index = scans.firstIndex(where: { isForeign($0, in: scans, storeID) }) {
            let headerOffset = scans[index].file.headerOffset
            scans[index].damages = []
            scans[index].tornTail = nil
            scans[index].addFileDamage(
                .foreignStore, "the segment belongs to another store",
                at: headerOffset + SegmentHeader.Offset.storeID)
            scans[index].extents = []
        }
    }

    /// Whether a segment has another store's id, and is no part of this log.
    ///
    /// It is one if it continues a segment of the log, or is the log's first: a fork continues a
    /// copy of its origin under another id.
    private static func isForeign(
        _ scan: SegmentDamageScan, in scans: [SegmentDamageScan], _ storeID: StoreID?
    ) -> Bool {
        guard let header = scan.file.header, header.storeID != storeID, !scan.isForeign else {
            return false
        }
        let others = scans.filter { $0.file.name != scan.file.name && !$0.isForeign }
        if header.firstSequence == 1, let end = scan.extents.last?.chainHashAfter {
            return !others.contains { $0.file.header?.chainHashBefore == end }
        }
        return !others.contains { $0.extents.last?.chainHashAfter == header.chainHashBefore }
    }

    /// The store that most segments belong to; among equals, the one of the newest segment.
    private static func storeID(of files: [SegmentFile]) -> StoreID? {
        let ids = files.compactMap { $0.header?.storeID }
        let most = ids.map { id in ids.count { $0 == id } }.max() ?? 0
        if let id = ids.last(where: { id in ids.count { $0 == id } == most }) { return id }
        // A damaged header is proved by the chain hash of the blocks after it, which starts with
        // the store's ID.
        return files.first { $0.name.firstSequence == 1 }?.uncheckedHeader?.storeID
    }

    private static func chainHashesBefore(
        _ files: [SegmentFile], of storeID: StoreID?
    ) -> [UInt64: ChainHash] {
        var hashes: [UInt64: ChainHash] = [:]
        for header in files.compactMap(\.header) where header.storeID == storeID {
            hashes[header.firstSequence] = header.chainHashBefore
        }
        return hashes
    }
}

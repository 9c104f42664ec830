import SkyrosDisk

/// One look at all files of a log, and the conclusions.
struct DamageScanPass {
    let disk: any Disk
    let framing: PayloadFraming
    let contentBytesMax: Int

    /// What is there; nil if there is no segment.
    func findings() throws(LogError) -> DamageScan.Findings? {
        let names = try onDisk { () throws(DiskError) in try disk.list(.events) }
        var files: [SegmentFile] = []
        for name in names.compactMap({ SegmentName($0) }) where name.kind != .temporary {
            files.append(try SegmentFile(name, on: disk))
        }
        guard !files.isEmpty else { return nil }
        // A sealed segment stands before its open twin.
        files.sort {
            ($0.firstSequence, $0.isSealed ? 0 : 1) < ($1.firstSequence, $1.isSealed ? 0 : 1)
        }
        let storeID = Self.storeID(of: files)
        var findings = DamageScan.Findings(storeID: storeID)
        var remains: [SegmentDamageScan] = []
        let around = SegmentDamageScan.Context(
            disk: disk, framing: framing, contentBytesMax: contentBytesMax,
            chainHashesBefore: Self.chainHashesBefore(files, of: storeID))
        for file in files {
            let next = files.first { $0.firstSequence > file.firstSequence }?.firstSequence
            remains.append(try look(at: file, next: next, storeID, around))
        }
        findings.tornTail = remains.lazy.compactMap(\.tornTail).first
        var order = DamageScanResult(remains, storeID)
        order.conclude()
        findings.prefix = order.prefix
        findings.behind = order.behind
        findings.damages = order.damages
        findings.statistics = try statistics(files, order)
        return findings
    }

    private func look(
        at file: SegmentFile, next: UInt64?, _ storeID: StoreID?,
        _ around: SegmentDamageScan.Context
    ) throws(LogError) -> SegmentDamageScan {
        var remains = try SegmentDamageScan(of: file, next: next, around)
        if let own = file.header?.storeID, own != storeID {
            remains.damages = []
            remains.tornTail = nil
            remains.noteWholeFile(
                .foreignStore, "the segment belongs to another store", at: file.headerOffset + 16)
            remains.stretches = []
        }
        return remains
    }

    /// The store that most segments belong to; of as many, the one of the newest segment.
    private static func storeID(of files: [SegmentFile]) -> StoreID? {
        let ids = files.compactMap { $0.header?.storeID }
        let most = ids.map { id in ids.count { $0 == id } }.max() ?? 0
        if let id = ids.last(where: { id in ids.count { $0 == id } == most }) { return id }
        // Nothing vouches for a header that fails its check but the blocks behind it, whose
        // checks begin with this id or do not.
        return files.first { $0.name.firstSequence == 1 }?.uncheckedHeader?.storeID
    }

    private static func chainHashesBefore(
        _ files: [SegmentFile], of storeID: StoreID?
    ) -> [UInt64: ChainHash] {
        var checks: [UInt64: ChainHash] = [:]
        for header in files.compactMap(\.header) where header.storeID == storeID {
            checks[header.firstSequence] = header.chainHashBefore
        }
        return checks
    }

    private func statistics(
        _ files: [SegmentFile], _ order: DamageScanResult
    ) throws(LogError) -> LogStatistics {
        var result = LogStatistics()
        result.segmentCount = files.count
        result.sealedSegmentCount = files.count { $0.isSealed }
        result.contentBytes = order.prefix.reduce(0) { $0 + $1.contentByteCount }
        for file in files {
            result.fileBytes += try onDisk(disk.status(of: file.name.path))?.sizeBytes ?? 0
        }
        return result
    }
}

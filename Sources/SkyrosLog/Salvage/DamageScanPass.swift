import SkyrosDisk

/// One pass of a damage scan over all files of a log.
struct DamageScanPass {
    let disk: any Disk
    let format: FrameFormat

    /// What is there; nil if there is no segment.
    func findings() throws(LogError) -> DamageScan.Findings? {
        var files: [SegmentFile] = []
        for name in try onDisk(disk.list(.events)).compactMap({ SegmentName($0) })
        where name.kind != .temporary {
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
        for file in files {
            let next = files.first { $0.firstSequence > file.firstSequence }?.firstSequence
            scans.append(try scan(file, next: next, storeID, context))
        }
        let result = DamageScanResult(scans, storeID)
        var findings = DamageScan.Findings(
            storeID: storeID, damages: result.damages, prefix: result.prefix, rest: result.rest)
        findings.tornTail = scans.lazy.compactMap(\.tornTail).first
        findings.statistics.segmentCount = files.count
        findings.statistics.sealedSegmentCount = files.count { $0.isSealed }
        findings.statistics.contentBytes = result.prefix.reduce(0) {
            $0 + ($1.contentByteCount ?? $1.byteCount)
        }
        for file in files {
            findings.statistics.fileBytes +=
                try onDisk(disk.status(of: file.name.path))?.sizeBytes ?? 0
        }
        return findings
    }

    private func scan(
        _ file: SegmentFile, next: UInt64?, _ storeID: StoreID?,
        _ context: SegmentDamageScan.Context
    ) throws(LogError) -> SegmentDamageScan {
        var scan = try SegmentDamageScan(of: file, next: next, context)
        if let own = file.header?.storeID, own != storeID {
            scan.damages = []
            scan.tornTail = nil
            scan.addFileDamage(
                .foreignStore, "the segment belongs to another store",
                at: file.headerOffset + SegmentHeader.Offset.storeID)
            scan.extents = []
        }
        return scan
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

import SkyrosDisk

/// One pass of a damage scan over all files of a log.
struct DamageScanPass {
    let disk: any Disk
    let format: FrameFormat

    /// What is there; nil if there is neither a segment nor a floor.
    ///
    /// - Parameter progress: called after each file with the number of bytes read, and that of all.
    func findings(
        _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws(LogError) -> DamageScan.Findings? {
        let names = try SegmentName.list(on: disk)
        var files = try segmentFiles(names)
        let floors = try names.filter { $0.kind == .floor }.map { name throws(LogError) in
            try FloorDamageScan(name, on: disk)
        }
        guard !files.isEmpty || !floors.isEmpty else { return nil }
        let beginning = HistoryBeginning(floors, before: files)
        files.removeAll { beginning.hasReplaced($0) }
        let context = SegmentDamageScan.Context(
            disk: disk, format: format, chainHashesBefore: Self.chainHashesBefore(files))
        var scans: [SegmentDamageScan] = []
        var sizes: [Int] = []
        for file in files {
            sizes.append(try onDisk(disk.status(of: file.name.path))?.sizeBytes ?? 0)
        }
        let floorByteCount = floors.reduce(0) { $0 + $1.byteCount }
        let byteCount = floorByteCount + sizes.reduce(0, +)
        var doneCount = floorByteCount
        var following = files.startIndex
        for (file, size) in zip(files, sizes) {
            while following < files.endIndex,
                files[following].firstSequence <= file.firstSequence
            {
                following += 1
            }
            let next = following < files.endIndex ? files[following].firstSequence : nil
            scans.append(try SegmentDamageScan(of: file, next: next, context))
            doneCount += size
            progress(doneCount, byteCount)
        }
        var foreign = ForeignSegments(
            in: scans, after: beginning.floor, from: beginning.firstKept(in: files))
        foreign.reject(from: &scans)
        let storeID = Self.storeID(of: scans) ?? beginning.originID
        let all = scans
        scans = try CoveredScans(disk: disk, format: format).removed(from: scans)
        let result = try DamageScanResult(
            scans, of: all, from: beginning, storeID,
            hasUnnamed: hasUnnamedSegment(after: scans.last), firstDifference: firstDifference)
        var findings = DamageScan.Findings(
            storeID: storeID, originID: result.originID, floor: beginning.floor,
            damages: result.damages, prefix: result.prefix, rest: result.rest)
        findings.tornTail = scans.lazy.compactMap(\.tornTail).first
        findings.isStoreProved =
            files.contains { $0.header != nil } || !result.prefix.isEmpty || beginning.floor != nil
        findings.statedTimes = scans.filter { !$0.isForeign }.flatMap(\.statedTimes)
        findings.statistics.segmentCount = files.count
        findings.statistics.sealedSegmentCount = files.count { $0.isSealed }
        findings.statistics.contentBytes = result.prefix.reduce(0) {
            $0 + ($1.contentByteCount ?? $1.byteCount)
        }
        findings.statistics.floorBytes = beginning.floor?.byteCount ?? 0
        findings.statistics.fileBytes =
            byteCount - floorByteCount + findings.statistics.floorBytes
        return findings
    }

    /// The segments' files, in the order of their batches.
    private func segmentFiles(_ names: [SegmentName]) throws(LogError) -> [SegmentFile] {
        var files: [SegmentFile] = []
        // Open files first: a writer may seal them soon, and removes them then.
        for kind in [SegmentName.Kind.open, .sealed] {
            for name in names where name.kind == kind {
                files.append(try SegmentFile(name, on: disk))
            }
        }
        // A sealed segment comes before its open twin.
        return files.sorted {
            ($0.firstSequence, $0.isSealed ? 0 : 1) < ($1.firstSequence, $1.isSealed ? 0 : 1)
        }
    }

    /// The first batch of `scan` that `other`, which begins with the same one, has not.
    private func firstDifference(
        of scan: SegmentDamageScan, from other: SegmentDamageScan
    ) throws(LogError) -> UInt64 {
        let own = try chainHashes(of: scan)
        let others = try chainHashes(of: other)
        let same = zip(own, others).prefix { $0 == $1 }.count
        return scan.file.firstSequence + UInt64(same)
    }

    /// The chain hash through each batch of a file without damage.
    private func chainHashes(of scan: SegmentDamageScan) throws(LogError) -> [ChainHash] {
        var hashes: [ChainHash] = []
        for extent in scan.extents {
            let chunk = try extent.chunk(on: disk, format)
            hashes += chunk.chainHashes(from: chunk.firstSequence)
        }
        return hashes
    }

    private func hasUnnamedSegment(after last: SegmentDamageScan?) throws(LogError) -> Bool {
        guard let last, last.file.isSealed, let end = last.extents.last else { return false }
        let head = LogHead(sequence: end.sequences.upperBound, chainHash: end.chainHashAfter)
        return try UnnamedSegment.successor(of: head, on: disk) != nil
    }

    /// The store of the newest segment that is of this log.
    private static func storeID(of scans: [SegmentDamageScan]) -> StoreID? {
        if let header = scans.last(where: { $0.file.header != nil && !$0.isForeign })?.file.header {
            return header.storeID
        }
        // A damaged header is proved by the chain hash of the blocks after it, which starts with
        // the store's ID.
        return scans.first { $0.file.name.firstSequence == 1 }?.file.uncheckedHeader?.storeID
    }

    private static func chainHashesBefore(_ files: [SegmentFile]) -> [UInt64: Set<ChainHash>] {
        var hashes: [UInt64: Set<ChainHash>] = [:]
        for header in files.compactMap(\.header) {
            hashes[header.firstSequence, default: []].insert(header.chainHashBefore)
        }
        return hashes
    }
}

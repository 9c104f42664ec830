import SkyrosDisk

/// What a segment's file still holds, and what of it is damaged.
struct SegmentDamageScan: Sendable {
    let file: SegmentFile
    var stretches: [BatchExtent] = []
    var damages: [LogDamage] = []
    /// The end of the active segment, if the last write did not arrive whole.
    var tornTail: LogDamage?

    /// The first batch that is not the one which was written, by what stands behind it.
    private(set) var firstContradicted: UInt64?

    /// What a survey asks about all files.
    struct Context {
        let disk: any Disk
        let framing: PayloadFraming
        let contentBytesMax: Int
        /// The checks before segments, as their headers tell them, by the first sequence.
        let chainHashesBefore: [UInt64: ChainHash]
    }

    /// The sequence with which the next segment begins; nil if there is none.
    private let next: UInt64?
    /// The last batch, where the file tells it itself.
    var lastKnown: UInt64?

    /// Reads and checks all of the file.
    ///
    /// - Throws: `LogError` if the disk refuses; damage is noted, not thrown.
    init(of file: SegmentFile, next: UInt64?, _ around: Context) throws(LogError) {
        self.file = file
        self.next = next
        if file.isSealed {
            try readFrames(around)
        } else {
            try readBlocks(around)
        }
        if let misfit = file.misfit {
            noteWholeFile(.corrupt, misfit.why, at: misfit.offset)
        }
    }

    /// Notes damage that concerns all batches of the file.
    mutating func noteWholeFile(_ code: LogError.Code, _ why: String, at offset: Int?) {
        let first = stretches.first?.sequences.lowerBound ?? file.firstSequence
        let last = lastKnown ?? next.map { $0 - 1 } ?? stretches.last?.sequences.upperBound
        let isOpenEnded = lastKnown == nil && next == nil
        let isEmpty = lastKnown.map { $0 < first } ?? false
        damages.insert(
            LogDamage(
                code, why, file.name, at: offset,
                sequences: isEmpty ? nil : first...max(first, last ?? first),
                isOpenEnded: isOpenEnded), at: 0)
    }
}

// MARK: - Blocks

extension SegmentDamageScan {
    private mutating func readBlocks(_ around: Context) throws(LogError) {
        guard let header = file.header ?? file.uncheckedHeader, file.firstSequence > 0 else {
            return
        }
        let opened = try onDisk { () throws(DiskError) in
            try around.disk.open(file.name.path, .read)
        }
        let size = try onDisk { () throws(DiskError) in try opened.status().sizeBytes }
        let bytes = try opened.readableBytes(from: 0, count: size)
        let walk = bytes.withUnsafeBytes { all in
            LenientBlockScan(
                over: all, of: file.name, salt: header.salt, firstSequence: file.firstSequence,
                chainHashBefore: file.header?.chainHashBefore)
        }
        stretches = walk.stretches
        firstContradicted = walk.gaps.first(where: \.isContradiction)?.sequences?.lowerBound
        // The misfit says it all of a file in which nothing is a block.
        if file.header == nil, walk.stretches.isEmpty { return }
        lastKnown = walk.lastSequence
        if next == nil {
            noteEnd(walk, verdict(bytes, around.disk.bootID))
        } else {
            noteGaps(walk)
        }
    }

    private func verdict(_ bytes: [UInt8], _ bootID: String) -> TailVerdict? {
        guard let header = file.header else { return nil }
        var scan = SegmentScan(beginning: header)
        bytes.withUnsafeBytes { all in
            let start = min(SegmentHeader.byteCount, all.count)
            scan.advance(over: all.slice(start, all.count - start), salt: header.salt)
        }
        return TailVerdict(scan, header, bootID: bootID)
    }

    /// A segment with a successor was durable to its end.
    private mutating func noteGaps(_ walk: LenientBlockScan) {
        for gap in walk.gaps {
            if gap.isContradiction {
                noteContradiction(gap)
                continue
            }
            var sequences = gap.sequences
            if gap.isOpenEnded, let next, let first = gap.sequences?.lowerBound {
                sequences = first < next ? first...next - 1 : nil
            }
            damages.append(
                LogDamage(
                    .corrupt, "a block is damaged; the segment has a successor, so it was durable",
                    file.name, at: gap.offset, sequences: sequences))
        }
    }

    private mutating func noteContradiction(_ gap: LenientBlockScan.Gap) {
        damages.append(
            LogDamage(
                .chainBroken, "the block here continues another history than the event before it",
                file.name, at: gap.offset, sequences: gap.sequences))
    }

    /// The active segment may end in what a crash left of the last write.
    private mutating func noteEnd(_ walk: LenientBlockScan, _ verdict: TailVerdict?) {
        if case .torn(let offset, let byteCount, _) = verdict {
            let numbers =
                walk.gaps.compactMap(\.sequences)
                + walk.stretches.filter { $0.offset >= offset }.map(\.sequences)
            let first = numbers.map(\.lowerBound).min()
            let last = numbers.map(\.upperBound).max()
            tornTail = LogDamage(
                .corrupt, "\(byteCount) bytes at the end never became a whole event", file.name,
                at: offset, sequences: first.flatMap { first in last.map { first...$0 } },
                isOpenEnded: walk.gaps.last?.isOpenEnded ?? false, isBelowDurable: false)
            return
        }
        for (index, gap) in walk.gaps.enumerated() {
            if gap.isContradiction {
                noteContradiction(gap)
                continue
            }
            var why = "a block is damaged"
            if index == 0, case .damaged(_, let reason) = verdict { why += "; \(reason)" }
            let isBelowDurable = gap.offset < walk.durableByteCount
            let damage = LogDamage(
                .corrupt, why, file.name, at: gap.offset, sequences: gap.sequences,
                isOpenEnded: gap.isOpenEnded, isBelowDurable: isBelowDurable)
            let isTorn = gap.isOpenEnded && !isBelowDurable && (index > 0 || verdict == nil)
            if isTorn { tornTail = damage } else { damages.append(damage) }
        }
    }
}

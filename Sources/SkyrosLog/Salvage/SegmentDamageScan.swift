import SkyrosDisk

/// What can be read of a segment's file, and what is damaged.
struct SegmentDamageScan: Sendable {
    let file: SegmentFile
    var extents: [BatchExtent] = []
    var damages: [LogDamage] = []
    /// The end of the active segment, if the last write is incomplete.
    var tornTail: LogDamage?
    /// The times that header and index state, as far as they are intact.
    var statedTimes: [StatedTime] = []

    /// The first batch that the block after it proves to be another than was written.
    private(set) var firstContradicted: UInt64?

    /// Whether the segment is of another store and no part of this log.
    var isForeign: Bool { damages.first?.code == .foreignStore }

    /// What the scan of a segment needs of all files.
    struct Context {
        let disk: any Disk
        let format: FrameFormat
        /// By a segment's first sequence, the chain hashes before it, as headers say.
        let chainHashesBefore: [UInt64: Set<ChainHash>]
    }

    /// The first sequence of the next segment; nil if there is none.
    private let next: UInt64?
    /// The last batch, if the file shows it.
    var lastKnown: UInt64?
    /// The chain hash through the last batch, if the sealed file's header, index and seek table are
    /// intact: an opening reads no more of it.
    var statedEnd: ChainHash?

    /// Reads and verifies the whole file.
    ///
    /// - Throws: `LogError` if a disk operation fails; damage is recorded, not thrown.
    init(of file: SegmentFile, next: UInt64?, _ context: Context) throws(LogError) {
        self.file = file
        self.next = next
        if file.mismatch == nil, let header = file.header {
            statedTimes = [header.statedTime(in: file.name, from: file.headerOffset)]
        }
        if file.isSealed {
            try readFrames(context)
        } else {
            try readBlocks(context)
        }
        if let mismatch = file.mismatch {
            addFileDamage(.corrupt, mismatch.why, at: mismatch.offset)
        }
    }

    /// Records damage that concerns all batches of the file.
    mutating func addFileDamage(_ code: LogError.Code, _ why: String, at offset: Int?) {
        let first = extents.first?.sequences.lowerBound ?? file.firstSequence
        let last = lastKnown ?? next.map { $0 - 1 } ?? extents.last?.sequences.upperBound
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
    private mutating func readBlocks(_ context: Context) throws(LogError) {
        guard let header = file.header ?? file.uncheckedHeader, file.firstSequence > 0 else {
            return
        }
        let bytes = try file.readableBytes(on: context.disk)
        let scan = bytes.withBytes { all in
            LenientBlockScan(
                over: all, of: file.name, salt: header.salt, headerByteCount: header.byteCount,
                firstSequence: file.firstSequence, chainHashBefore: file.header?.chainHashBefore)
        }
        if let block = scan.unsupported {
            throw LogError(.unsupportedFormat, block.why, file.name, at: block.offset)
        }
        extents = scan.extents
        // The mismatch covers a file in which nothing is a block.
        if file.header == nil, scan.extents.isEmpty { return }
        lastKnown = scan.lastSequence
        let verdict = next == nil ? verdict(bytes, context.disk) : nil
        if case .torn = verdict {
            // An opening keeps the batch before the tail, whatever follows it.
        } else {
            firstContradicted = scan.gaps.first(where: \.isContradiction)?.sequences?.lowerBound
        }
        if next == nil {
            addEnd(scan, verdict)
        } else {
            addGaps(scan)
        }
    }

    private func verdict(_ bytes: [UInt8], _ disk: any Disk) -> TailVerdict? {
        guard let header = file.header else { return nil }
        var scan = SegmentScan(beginning: header)
        bytes.withBytes { all in
            let start = min(header.byteCount, all.count)
            scan.advance(over: all.slice(start, all.count - start), salt: header.salt)
        }
        return TailVerdict(scan, header, on: disk)
    }

    /// A segment with a successor was durable up to its end.
    private mutating func addGaps(_ scan: LenientBlockScan) {
        for gap in scan.gaps {
            if gap.isContradiction {
                addContradiction(gap)
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

    private mutating func addContradiction(_ gap: LenientBlockScan.Gap) {
        damages.append(
            LogDamage(
                .chainBroken, "the block here continues another history than the event before it",
                file.name, at: gap.offset, sequences: gap.sequences))
    }

    /// The active segment may end in what a crash left of the last write.
    private mutating func addEnd(_ scan: LenientBlockScan, _ verdict: TailVerdict?) {
        if case .torn(let offset, let byteCount, _) = verdict {
            let ranges =
                scan.gaps.compactMap(\.sequences)
                + scan.extents.filter { $0.offset >= offset }.map(\.sequences)
            let kept = scan.extents.last { $0.offset < offset }?.sequences.upperBound ?? 0
            let first = ranges.map(\.lowerBound).min().map { max($0, kept + 1) }
            let last = ranges.map(\.upperBound).max()
            let wholeCount = scan.batchCount(from: offset)
            let why =
                wholeCount > 0
                ? "\(byteCount) bytes at the end do not continue the events before them"
                : "\(byteCount) bytes at the end never became a whole event"
            tornTail = LogDamage(
                .corrupt, why, file.name, at: offset,
                // A mark that does not continue the history has no batch after the last one.
                sequences: first.flatMap { first in
                    last.flatMap { first <= $0 ? first...$0 : nil }
                },
                isOpenEnded: scan.gaps.last?.isOpenEnded ?? false, isBelowDurable: false)
            tornTail?.wholeBatchCount = wholeCount
            return
        }
        if verdict == .incompleteCopy {
            let next = (scan.lastSequence ?? file.firstSequence - 1) + 1
            damages.append(
                LogDamage(
                    .segmentMissing, TailVerdict.incompleteCopyText, SegmentName(next, .open),
                    sequences: next...next, isOpenEnded: true))
        }
        for (index, gap) in scan.gaps.enumerated() {
            if gap.isContradiction {
                addContradiction(gap)
                continue
            }
            var why = "a block is damaged"
            if index == 0, case .damaged(_, let reason) = verdict { why += "; \(reason)" }
            let isBelowDurable = gap.offset < scan.durableByteCount
            let damage = LogDamage(
                .corrupt, why, file.name, at: gap.offset, sequences: gap.sequences,
                isOpenEnded: gap.isOpenEnded, isBelowDurable: isBelowDurable)
            let isTorn = gap.isOpenEnded && !isBelowDurable && (index > 0 || verdict == nil)
            if isTorn {
                tornTail = damage
                tornTail?.wholeBatchCount = scan.batchCount(from: gap.offset)
            } else {
                damages.append(damage)
            }
        }
    }
}

/// What is to be done with the end of the active segment.
enum TailVerdict: Equatable, Sendable {
    /// The log was closed in order: go on.
    case clean
    /// The process ended without closing, every block is whole: rewrite the segment, so that
    /// what comes from the page cache is known to be on the medium, and go on.
    case unclean
    /// The last write did not arrive whole: set the bytes from `offset` on aside, rewrite
    /// the rest, and go on. `validBlocks` are whole blocks behind the gap that a power cut left;
    /// history may have no holes, so they go too.
    case torn(offset: Int, byteCount: Int, validBlocks: Int)
    /// Something that was durable is damaged: touch nothing.
    case damaged(offset: Int, why: String)
}

extension TailVerdict {
    /// Decides what the end of an active segment is (promises P3 to P6).
    ///
    /// X is the first byte that does not parse, W the position up to which some block proves
    /// that the file was synced. In this order:
    ///
    /// 1. Nothing but zeros behind the last block: no damage; clean if that block is a closing.
    /// 2. X < W: a sync had succeeded beyond X, so no crash can explain it. Damaged.
    /// 3. A whole mark at X, which says that X = W and continues another history than what stands
    ///    before it: that is not what was synced. Damaged.
    /// 4. Valid blocks behind X, and the machine has not been rebooted since: a page cache does
    ///    not reorder within one boot. Damaged.
    /// 5. More to cut off than may ever be unsynced. Damaged.
    /// 6. Otherwise a torn tail, or a reordering by a power cut, which is legal.
    init(_ scan: SegmentScan, _ header: SegmentHeader, bootID: String) {
        let start = scan.endOffset
        guard scan.stop == .invalid else {
            self = scan.lastKind == .closing ? .clean : .unclean
            return
        }
        let byteCount = scan.lastNonzeroOffset - start
        let isSameBoot = !bootID.isEmpty && bootID == scan.bootID
        if start < scan.durableByteCount {
            let why = "it was proved durable through byte \(scan.durableByteCount)"
            self = .damaged(offset: start, why: why)
        } else if scan.isEndContradicted {
            let why = "what stands before it is not what was made durable"
            self = .damaged(offset: start, why: why)
        } else if scan.validBlocksAfterEnd > 0, isSameBoot {
            let why = "\(scan.validBlocksAfterEnd) whole blocks follow, in the same boot"
            self = .damaged(offset: start, why: why)
        } else if byteCount > header.unsyncedBytesMax {
            let why = "\(byteCount) bytes follow, more than may be unsynced"
            self = .damaged(offset: start, why: why)
        } else {
            self = .torn(
                offset: start, byteCount: byteCount, validBlocks: scan.validBlocksAfterEnd)
        }
    }
}

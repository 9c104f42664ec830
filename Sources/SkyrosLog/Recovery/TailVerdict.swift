import SkyrosDisk

/// What the end of the active segment is, and what an opening does about it.
enum TailVerdict: Equatable, Sendable {
    /// The log was closed in order. Continue it.
    case clean
    /// The process ended without closing the log; every block is intact. Rewrite the segment, so
    /// that what was in the page cache is on the medium, and continue.
    case unclean
    /// The last write is incomplete. Quarantine the bytes from `offset` on, rewrite the rest, and
    /// continue. `validBlocks` complete blocks come after the gap that a power cut left. They go
    /// too, because history has no holes.
    case torn(offset: Int, byteCount: Int, validBlocks: Int)
    /// The segment has ended, and the one that follows is missing in this copy. Change nothing.
    case incompleteCopy
    /// Something durable is damaged. Change nothing.
    case damaged(offset: Int, why: String)
}

extension TailVerdict {
    /// Judges the end of an active segment (promises P3 to P6).
    ///
    /// X is the first byte that does not parse, W the durable watermark: the position up to which
    /// some block proves that the file was synced. The first rule that applies decides:
    ///
    /// 1. Only zeros follow the last block: no damage; clean if that block is a closing mark. If it
    ///    says that the segment has ended, a crash came before its successor was there; but a copy
    ///    of a log that was being written may lack the successor.
    /// 2. X < W: a sync beyond X had succeeded, which no crash undoes. Damaged.
    /// 3. An intact mark at X says that X = W and continues another history than the blocks before
    ///    it: they are not what was synced. Damaged.
    /// 4. Valid blocks follow X, and the newest opening block before X shows neither that the
    ///    machine was rebooted since, nor that the directory is another one: a page cache does not
    ///    reorder writes within one boot. Damaged. A copy of a log that was being written can have
    ///    such a gap: what is in it was written after the copying began.
    /// 5. More bytes would be cut off than may be unsynced. Damaged.
    /// 6. Otherwise a torn tail, or writes that a power cut reordered, which is legal.
    ///
    /// - Parameter isRebooted: whether to judge as after a reboot, whatever the boot is; and a copy
    ///   as one of a log that was not written meanwhile.
    init(
        _ scan: SegmentScan, _ header: SegmentHeader, on disk: any Disk, isRebooted: Bool = false
    ) {
        let start = scan.endOffset
        let isCopy = scan.isCopy(on: disk)
        guard scan.stop == .invalid else {
            self = scan.lastKind == .closing ? .clean : .unclean
            let lacksNext = scan.lastKind == .ended && isCopy && !isRebooted
            if lacksNext { self = .incompleteCopy }
            return
        }
        let byteCount = scan.lastNonzeroOffset - start
        let opened = scan.opening
        // Without a readable opening block nothing shows a reboot.
        let isSameBoot =
            !disk.bootID.isEmpty && !isRebooted && opened?.bootID ?? disk.bootID == disk.bootID
        let damage: String? =
            if start < scan.durableByteCount {
                isCopy
                    ? "it lacks what was durable when the rest of it was copied: this is a copy of "
                        + "a store that was written meanwhile; copy its events/ again"
                    : "it was proved durable through byte \(scan.durableByteCount)"
            } else if scan.contradiction == .mark {
                "the blocks before it are not those that were made durable"
            } else if scan.validBlocksAfterEnd > 0, isSameBoot, !isCopy {
                "\(scan.validBlocksAfterEnd) valid blocks follow, "
                    + (opened == nil ? "and no reboot since is known" : "in the same boot")
                    + "; if the medium was away since, Options.acceptsLostTail opens the store "
                    + "without them"
            } else if byteCount > header.unsyncedBytesMax {
                "\(byteCount) bytes follow, more than may be unsynced"
            } else {
                nil
            }
        self =
            if let damage {
                .damaged(offset: start, why: damage)
            } else {
                .torn(offset: start, byteCount: byteCount, validBlocks: scan.validBlocksAfterEnd)
            }
    }
}

extension TailVerdict {
    /// What is wrong with an incomplete copy.
    static let incompleteCopyText =
        "the segment before it has ended, so this one is missing: this is a copy of a store "
        + "that was written meanwhile; copy its events/ again, or set Options.acceptsLostTail if "
        + "nothing wrote while it was copied"
}

extension SegmentScan {
    /// Whether the file is a copy: it was opened in another directory than that of `disk`.
    func isCopy(on disk: any Disk) -> Bool {
        guard let directoryID = opening?.directoryID, let own = disk.directoryID else {
            return false
        }
        return directoryID != own
    }

    /// Whether the newest opening block says that a log has opened the file in the directory of
    /// `disk`. If a closing block follows, the file's name is durable, and so are all files before.
    func wasOpened(on disk: any Disk) -> Bool {
        guard let directoryID = opening?.directoryID else { return false }
        return directoryID == disk.directoryID
    }
}

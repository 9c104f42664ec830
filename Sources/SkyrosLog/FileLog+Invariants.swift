// The invariants of the log's state, which are checked after each change under `InvariantChecks`.
// What only the bytes of a file say is not checked here: a forged file must not trap.

extension FileLog.State {
    func checkInvariants(_ options: LogOptions) {
        let active = catalog.active.scan
        precondition(
            durableBytes <= appendedBytes && syncingBytes <= appendedBytes
                && durableHead.sequence <= catalog.lastSequence,
            "The durable watermark is beyond the end of the log.")
        precondition(
            durableBytes < appendedBytes || durableHead == catalog.head,
            "Everything is durable, but not the last batch.")
        precondition(
            SegmentHeader.fixedByteCount <= durableSegmentBytes
                && durableSegmentBytes <= active.endOffset - deferred.count,
            "Bytes of the active segment are durable that are not in its file.")
        precondition(
            failure != nil || allocatedBytes >= active.endOffset - deferred.count,
            "The active segment's file is shorter than what was written to it.")
        precondition(
            appendedBytes - durableBytes <= options.unsyncedBytesMax + Block.byteCount(payload: 0),
            "More is unsynced than recovery may cut off.")
        precondition(
            isSyncing || (currentGroup == nil && nextGroup == nil),
            "Threads wait for a sync that no thread leads.")
        catalog.checkInvariants()
    }
}

extension LogCatalog {
    /// Each segment continues its predecessor. Of the sealed segments, which do not change, the
    /// last two are checked.
    func checkInvariants() {
        var expected = sealed.count <= 2 ? floor?.head : nil
        func check(_ header: SegmentHeader, through head: LogHead) {
            if let expected {
                precondition(
                    header.firstSequence == expected.sequence + 1
                        && header.chainHashBefore == expected.chainHash,
                    "Segment \(header.firstSequence) does not continue its predecessor.")
            }
            expected = head
        }
        for segment in sealed.suffix(2) {
            check(
                segment.header,
                through: LogHead(
                    sequence: segment.lastSequence, chainHash: segment.chainHashAfter))
        }
        for segment in ended + [active] {
            check(segment.header, through: segment.scan.head)
            segment.scan.checkInvariants()
        }
    }
}

extension SegmentScan {
    func checkInvariants() {
        precondition(
            endOffset >= SegmentHeader.fixedByteCount && endOffset % Block.alignment == 0
                && endOffset <= lastNonzeroOffset,
            "A segment ends at \(endOffset), where no block ends.")
        guard let last = waypoints.last else { return }
        precondition(
            last.offset < endOffset && last.sequence <= lastSequence,
            "A waypoint is beyond the end of its segment.")
        guard let previous = waypoints.dropLast().last else { return }
        precondition(
            previous.sequence < last.sequence
                && last.offset - previous.offset >= Self.waypointDistanceBytes,
            "Two waypoints are out of order, or too close.")
    }
}

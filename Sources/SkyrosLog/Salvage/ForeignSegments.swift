/// Finds the segments of other stores among those of a log. O(files), unless foreign ones continue
/// each other backwards.
///
/// A segment with another id than the log's is of the log if it continues one of its segments or
/// its floor, or is its first: a fork continues a copy of its origin under another id.
struct ForeignSegments {
    private let storeID: StoreID?
    /// How many segments of the log end with a chain hash, and how many begin after one.
    private var ends: [ChainHash: Int] = [:]
    private var beginnings: [ChainHash: Int] = [:]
    /// The first batch that a segment can be expected to hold.
    private let first: UInt64

    init(in scans: [SegmentDamageScan], after floor: LogFloor?, from first: UInt64) {
        self.first = first
        storeID = StoreID.prevailing(in: scans.compactMap(\.file.header))
        if let floor { ends[floor.head.chainHash] = 1 }
        for scan in scans { count(scan, 1) }
    }

    /// Replaces what the scans found in segments of other stores by that one damage.
    mutating func reject(from scans: inout [SegmentDamageScan]) {
        // Those that continue a foreign one are foreign too.
        var hasFound = true
        while hasFound {
            hasFound = false
            for index in scans.indices where isForeign(scans[index]) {
                count(scans[index], -1)
                scans[index].rejectAsForeign()
                hasFound = true
            }
        }
    }

    private mutating func count(_ scan: SegmentDamageScan, _ change: Int) {
        if let end = scan.extents.last?.chainHashAfter { ends[end, default: 0] += change }
        if let header = scan.file.header {
            beginnings[header.chainHashBefore, default: 0] += change
        }
    }

    private func isForeign(_ scan: SegmentDamageScan) -> Bool {
        guard let header = scan.file.header, header.storeID != storeID, !scan.isForeign else {
            return false
        }
        if ends[header.chainHashBefore, default: 0] > 0 { return false }
        guard header.firstSequence == first, let end = scan.extents.last?.chainHashAfter else {
            return true
        }
        return beginnings[end, default: 0] == 0
    }
}

extension SegmentDamageScan {
    /// Replaces all findings by the one that the segment belongs to another store.
    fileprivate mutating func rejectAsForeign() {
        damages = []
        tornTail = nil
        addFileDamage(
            .foreignStore, "the segment belongs to another store",
            at: file.headerOffset + SegmentHeader.Offset.storeID)
        extents = []
    }
}

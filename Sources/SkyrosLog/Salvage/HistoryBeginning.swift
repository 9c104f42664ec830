/// Where the history of a log begins that may be damaged: after the newest floor that is whole and
/// that a segment follows, or with the first batch of all.
///
/// The rule is that of an opening, see `FloorResolution`, which refuses what this one passes over.
struct HistoryBeginning {
    /// The floor; nil if the history begins with the first batch of all, or its floor is lost.
    private(set) var floor: LogFloor?
    /// Floors that are damaged, and that no later one has replaced.
    private(set) var damaged: [FloorDamageScan] = []
    /// Later floors with no segment after them, whose history the segments must have.
    private(set) var unfollowed: [LogFloor] = []
    /// The damaged floor that an opening would take.
    private var taken: SegmentName?

    /// - Parameters:
    ///   - floors: in the order of their names.
    ///   - files: the segments.
    init(_ floors: [FloorDamageScan], before files: [SegmentFile]) {
        let firsts = Set(files.flatMap { [$0.name.firstSequence, $0.firstSequence] })
        for scan in floors.reversed() {
            let isFollowed = firsts.contains(scan.firstSequence)
            if let whole = scan.whole {
                if isFollowed {
                    floor = whole
                    return
                }
                unfollowed.append(whole)
            } else if scan.firstSequence > 1 {
                damaged.append(scan)
                if taken == nil, isFollowed, scan.floor != nil { taken = scan.name }
            }
        }
        // Without the segments from the first batch on, a floor with nothing after it is more.
        guard !firsts.contains(1), let newest = unfollowed.first else { return }
        floor = newest
        unfollowed.removeFirst()
        unfollowed.removeAll { $0.firstSequence < newest.firstSequence }
        damaged.removeAll { $0.firstSequence < newest.firstSequence }
    }

    /// The first batch after the floor, or the first of all.
    var firstSequence: UInt64 { floor?.firstSequence ?? 1 }

    /// The first batch that a segment can be expected to hold, also after a floor that is lost.
    func firstKept(in files: [SegmentFile]) -> UInt64 {
        guard floor == nil, !files.contains(where: { $0.firstSequence == 1 }) else {
            return firstSequence
        }
        return damaged.first?.firstSequence ?? 1
    }

    /// Whether the floor has replaced a file, so that nothing in it counts.
    func hasReplaced(_ file: SegmentFile) -> Bool {
        max(file.name.firstSequence, file.firstSequence) < firstSequence
    }

    /// The store that the first batch of all was written for, if a floor says it.
    var originID: StoreID? { (floor ?? damaged.lazy.compactMap(\.floor).first)?.header.storeID }

    /// The damage of the floors.
    ///
    /// A damaged floor that an opening passes over is none if the history reaches it.
    ///
    /// - Parameter prefix: the history that begins here.
    func damages(beside prefix: [BatchExtent]) -> [LogDamage] {
        let end = prefix.last?.sequences.upperBound ?? firstSequence - 1
        var found: [LogDamage] = []
        for scan in damaged {
            let isLost = end < scan.firstSequence - 1
            guard isLost || scan.name == taken else { continue }
            found += scan.logDamages(from: firstSequence, isLost: isLost)
        }
        for floor in unfollowed where end < floor.head.sequence {
            let first = floor.firstSequence
            found.append(
                LogDamage(
                    .segmentMissing, Self.missingText(after: floor), SegmentName(first, .open),
                    sequences: first...first, isOpenEnded: true))
        }
        for floor in unfollowed where floor.head.sequence >= firstSequence {
            let last = floor.head.sequence
            guard let extent = prefix.first(where: { $0.sequences.upperBound == last }),
                extent.chainHashAfter != floor.head.chainHash
            else { continue }
            found.append(
                LogDamage(
                    .chainBroken, "the floor is of another history than the segments", floor.name,
                    sequences: last...last))
        }
        return found
    }

    static func missingText(after floor: LogFloor) -> String {
        "no segment holds the events after the floor \(floor.name); restore the file that does"
    }
}

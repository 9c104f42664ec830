import SkyrosDisk

/// Decides which floor a log has, and which files it has replaced. Changes nothing.
///
/// A crash while a log is pruned leaves the files below the new floor, or some of them; a power cut
/// may bring them back, and so does a copy of the directory. A floor gets its name only when it is
/// whole and durable. So the newest one counts that a segment follows, and what is below it does
/// not.
struct FloorResolution {
    private(set) var floor: LogFloor?
    /// The files that count.
    private(set) var names: [SegmentName] = []
    /// The files that the floor has replaced, earlier floors among them.
    private(set) var replaced: [SegmentName] = []
    /// Those of them that are not of this log, or cannot be read.
    private(set) var foreign: [SegmentName] = []
    /// Floors with no segment after them, which must be in what the log holds.
    private(set) var unfollowed: [LogFloor] = []
    /// A floor that cannot be read. The log may hold all that it has replaced.
    private(set) var damage: (name: SegmentName, error: LogError)?

    /// - Throws: `LogError` if a file cannot be read, or is of a newer version.
    init(_ all: [SegmentName], on disk: any Disk) throws(LogError) {
        names = all.filter { $0.kind != .floor }
        let floors = all.filter { $0.kind == .floor }
        for name in floors.reversed() {
            do throws(LogError) {
                let found = try LogFloor(name, on: disk)
                if names.contains(where: { $0.isSegment(beginning: found.firstSequence) }) {
                    floor = found
                    break
                }
                unfollowed.append(found)
            } catch {
                guard error.isDamage else { throw error }
                damage = damage ?? (name, error)
            }
        }
        guard let floor else { return }
        let below = (names + floors).filter {
            $0.firstSequence < floor.firstSequence && $0.kind != .temporary
        }
        names.removeAll { below.contains($0) }
        try sort(below, floor, on: disk)
    }

    /// Sorts what is below the floor into what is of this log and what is not.
    private mutating func sort(
        _ below: [SegmentName], _ floor: LogFloor, on disk: any Disk
    ) throws(LogError) {
        guard !below.isEmpty else { return }
        var known: Set = [floor.header.storeID]
        for name in names where name.kind != .temporary {
            if let id = try Self.storeID(of: name, on: disk) { known.insert(id) }
        }
        for name in below {
            let id = try Self.storeID(of: name, on: disk)
            if let id, known.contains(id) { replaced.append(name) } else { foreign.append(name) }
        }
    }

    /// The store that a file names; nil if its header cannot be read.
    private static func storeID(
        of name: SegmentName, on disk: any Disk
    ) throws(LogError) -> StoreID? {
        do throws(LogError) {
            let file = try onDisk(disk.open(name.path, .read))
            let bytes = try SegmentHeader.bytes(of: file, at: name.headerOffset)
            return try SegmentHeader(bytes, in: name).storeID
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }
}

extension SegmentName {
    fileprivate func isSegment(beginning first: UInt64) -> Bool {
        firstSequence == first && kind.isSegment
    }
}

import SkyrosLog

/// Makes the versions of a run from events: sorts them by record, and gives small records whole.
struct RunBuilder {
    /// A record of up to this size is stored whole with each of its versions. Neighbouring versions
    /// are nearly equal, which compression removes, and no version depends on another.
    static let wholeBytesMax = 512
    /// A larger record is stored whole again after this number of versions at the latest.
    static let versionsBetweenWhole = 256

    private var versions: [(key: HistoryKey, version: RecordVersion)] = []
    private(set) var logByteCount = 0

    /// Adds the changes of an event of this size, which follows those before.
    mutating func append(_ event: Event, byteCount: Int) {
        versions += RecordVersion.list(of: event)
        logByteCount += byteCount
    }

    /// Writes everything, in order.
    ///
    /// - Parameter state: the state after the last event.
    consuming func write(to writer: inout RunWriter, endingAt state: Snapshot) throws {
        var order = Array(versions.indices)
        // Stable: the versions of a record stay in the order of their events.
        order.sort { a, b in
            let (left, right) = (versions[a].key, versions[b].key)
            return left == right ? a < b : left < right
        }
        var start = 0
        var buffer = CBORWriter(capacity: 1 << 16)
        while start < order.count {
            let key = versions[order[start]].key
            var end = start + 1
            while end < order.count, versions[order[end]].key == key { end += 1 }
            var list = order[start..<end].map { versions[$0].version }
            try Self.makeWhole(&list, of: key, endingAt: state)
            buffer.removeAll(keepingCapacityUpTo: 1 << 20)
            for version in list { version.append(to: &buffer) }
            try writer.append(key, buffer)
            start = end
        }
    }

    /// Replaces differences by whole records where that is small, or due; leaves what is too large
    /// to the log.
    private static func makeWhole(
        _ list: inout [RecordVersion], of key: HistoryKey, endingAt state: Snapshot
    ) throws {
        guard let id = key.id else { return }
        let entity = String(decoding: key.entity, as: UTF8.self)
        let last = state.table(entity)?.row(id)?.bytes
        let images = try recordImages(of: list, endingAt: last)
        var (bytesSince, countSince) = (0, 0)
        for index in list.indices {
            guard case .difference(let before, let after) = list[index].image else {
                if case .record(let bytes) = list[index].image,
                    bytes.count > RecordVersion.differenceBytesMax
                {
                    list[index].image = .absent
                }
                (bytesSince, countSince) = (0, 0)
                continue
            }
            bytesSince += before.count + after.count
            countSince += 1
            let image = images[index]
            let isDue = image.map {
                $0.count <= wholeBytesMax || $0.count <= bytesSince
                    || countSince >= versionsBetweenWhole
            }
            if let image, isDue ?? false {
                list[index].image = .record(image)
                (bytesSince, countSince) = (0, 0)
            } else if before.count + after.count > RecordVersion.differenceBytesMax {
                list[index].image = .absent
            }
        }
    }

    /// The records that the versions leave, as far as they are known: backwards from the last one
    /// and from deletions, and forwards from insertions.
    private static func recordImages(
        of list: [RecordVersion], endingAt last: [UInt8]?
    ) throws -> [[UInt8]?] {
        var images = [[UInt8]?](repeating: nil, count: list.count)
        var later = last
        for index in list.indices.reversed() {
            images[index] = list[index].kind == .deleted ? nil : later
            switch list[index].image {
            case .record(let bytes): later = list[index].kind == .deleted ? bytes : nil
            case .difference(let before, let after):
                later = try later.flatMap {
                    try Fields.applying(before: after, after: before, to: $0)
                }
            case .absent: later = nil
            }
        }
        var earlier: [UInt8]?
        for index in list.indices {
            switch list[index].image {
            case .record(let bytes): earlier = list[index].kind == .deleted ? nil : bytes
            case .difference(let before, let after):
                earlier = try earlier.flatMap {
                    try Fields.applying(before: before, after: after, to: $0)
                }
            case .absent: earlier = nil
            }
            images[index] = images[index] ?? earlier
        }
        return images
    }
}

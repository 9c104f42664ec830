/// The versions of one record in a run, which get whole records where these are small, or due.
struct RunImages {
    /// A record of up to this size is stored whole with each of its versions. Neighbouring versions
    /// are nearly equal, which compression removes, and no version depends on another.
    private static let wholeBytesMax = 512
    /// A larger record is stored whole again after this number of versions at the latest.
    private static let versionsBetweenWhole = 256
    /// A record above this size is never stored whole.
    private static let everWholeBytesMax = 1 << 20

    /// What is read to make a record: its versions since the last whole one.
    struct Chain {
        private(set) var byteCount = 0
        private(set) var versionCount = 0

        mutating func append(byteCount count: Int) {
            byteCount += count
            versionCount += 1
        }

        mutating func append(_ others: Chain) {
            byteCount += others.byteCount
            versionCount += others.versionCount
        }
    }

    /// Oldest first.
    private(set) var versions: [RecordVersion]
    /// The number of updates with which they begin.
    private let updateCount: Int

    /// - Parameter versions: with the images of their events, oldest first.
    init(_ versions: [RecordVersion]) {
        self.versions = versions
        updateCount = versions.firstIndex { $0.kind != .updated } ?? versions.count
    }

    /// Replaces differences by whole records; leaves what is too large to the log.
    ///
    /// - Parameters:
    ///   - last: the record after the last version, if that is known.
    ///   - before: gives the record before the first version, if that is known.
    ///   - chainBefore: gives the versions before that are needed to make that record.
    mutating func makeWhole(
        after last: [UInt8]?, _ before: () throws -> [UInt8]?,
        chainBefore: () throws -> Chain
    ) throws {
        let leading = try recordsOfUpdates(last)
        var record: [UInt8]?
        if updateCount > 0, leading.after.isEmpty { record = try leading.before ?? before() }
        var chain = Chain()
        var isChainKnown = false
        for index in versions.indices {
            switch versions[index].image {
            case .absent: continue
            case .record(let bytes):
                record = versions[index].kind == .deleted ? nil : bytes
                if bytes.count > RecordVersion.differenceBytesMax {
                    versions[index].image = .absent
                }
                (chain, isChainKnown) = (Chain(), true)
            case .difference(let before, let after):
                if index < leading.after.count {
                    record = leading.after[index]
                } else {
                    record = try record.flatMap {
                        try Fields.applying(before: before, after: after, to: $0)
                    }
                }
                chain.append(byteCount: before.count + after.count)
                if !isChainKnown, let record, record.count > Self.wholeBytesMax,
                    record.count <= Self.everWholeBytesMax
                {
                    chain.append(try chainBefore())
                    isChainKnown = true
                }
                if let record, Self.isStoredWhole(record, after: chain) {
                    versions[index].image = .record(record)
                    (chain, isChainKnown) = (Chain(), true)
                } else if before.count + after.count > RecordVersion.differenceBytesMax {
                    versions[index].image = .absent
                }
            }
        }
    }

    /// The records after the updates at the beginning, made of the one after the last of these, if
    /// all are small; otherwise the one before the first. Neither if they are not known.
    private func recordsOfUpdates(
        _ last: [UInt8]?
    ) throws -> (after: [[UInt8]], before: [UInt8]?) {
        guard var record = updateCount == versions.count ? last : deletedRecord else {
            return ([], nil)
        }
        var after: [[UInt8]] = []
        var areSmall = true
        for version in versions[..<updateCount].reversed() {
            // Many large ones do not fit in memory together.
            if record.count > Self.wholeBytesMax { (areSmall, after) = (false, []) }
            if areSmall { after.append(record) }
            guard case .difference(let old, let new) = version.image,
                let former = try Fields.applying(before: new, after: old, to: record)
            else { return ([], nil) }
            record = former
        }
        return areSmall ? (after.reversed(), nil) : ([], record)
    }

    /// The record that the first version which is no update has removed; nil if there is none: it
    /// was cleared then, and inserted again.
    private var deletedRecord: [UInt8]? {
        guard updateCount < versions.count, versions[updateCount].kind == .deleted,
            case .record(let bytes) = versions[updateCount].image
        else { return nil }
        return bytes
    }

    private static func isStoredWhole(_ record: [UInt8], after chain: Chain) -> Bool {
        if record.count <= wholeBytesMax { return true }
        guard record.count <= everWholeBytesMax else { return false }
        return record.count <= chain.byteCount || chain.versionCount >= versionsBetweenWhole
    }
}

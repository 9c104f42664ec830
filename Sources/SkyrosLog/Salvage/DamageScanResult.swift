import SkyrosDisk

/// Combines the scans of all segments: the history up to the first damage, what can be read after
/// it, and what is missing.
struct DamageScanResult {
    private(set) var prefix: [BatchExtent] = []
    private(set) var rest: [BatchExtent] = []
    private(set) var damages: [LogDamage] = []

    private let scans: [SegmentDamageScan]
    private let storeID: StoreID?
    private let beginning: HistoryBeginning

    /// - Parameters:
    ///   - scans: of the files that no other file holds.
    ///   - all: of these files too.
    ///   - beginning: where the history begins.
    ///   - hasUnnamed: whether the last segment has a successor with a temporary name.
    ///   - firstDifference: the first batch of a file that another of the same batches has not.
    init<E: Error>(
        _ scans: [SegmentDamageScan], of all: [SegmentDamageScan], from beginning: HistoryBeginning,
        _ storeID: StoreID?, hasUnnamed: Bool,
        firstDifference: (SegmentDamageScan, SegmentDamageScan) throws(E) -> UInt64
    ) throws(E) {
        self.scans = scans
        self.storeID = storeID
        self.beginning = beginning
        let extents = all.flatMap(\.extents).sorted {
            ($0.sequences.lowerBound, $1.sequences.upperBound)
                < ($1.sequences.lowerBound, $0.sequences.upperBound)
        }
        takePrefix(extents)
        takeRest(extents)
        damages = scans.flatMap(\.damages) + beginning.damages(beside: prefix)
        try addDifferingTwins(firstDifference)
        addBrokenChains()
        addMissing(extents, hasUnnamed: hasUnnamed)
        let readable = prefix + rest
        for index in damages.indices {
            damages[index].isReadable = Self.isCovered(damages[index], by: readable)
        }
        damages.sort { Self.order(of: $0) < Self.order(of: $1) }
    }

    /// The store of the first segment of all, with whose id the chain hash begins.
    var originID: StoreID? {
        if let floor = beginning.floor { return floor.header.storeID }
        let first = scans.first { $0.file.firstSequence == 1 && !$0.isForeign }
        return first?.file.header?.storeID ?? beginning.originID ?? storeID
    }

    /// The batch after which the history begins; nil if nothing says which store it is of.
    private var head: LogHead? {
        if let floor = beginning.floor { return floor.head }
        return originID.map { LogHead(sequence: 0, chainHash: ChainHash(beginning: $0)) }
    }

    private static func order(of damage: LogDamage) -> (UInt64, UInt64, Int) {
        let segment = damage.segment.firstSequence
        return (damage.sequences?.lowerBound ?? segment, segment, damage.offset ?? -1)
    }

    /// Takes the longest history.
    ///
    /// A torn tail ends the history even if a later file repeats its batches, because opening the
    /// store cuts it off. A contradicted batch ends it too.
    private mutating func takePrefix(_ extents: [BatchExtent]) {
        guard let head else { return }
        let ends = scans.flatMap { [$0.tornTail?.sequences?.lowerBound, $0.firstContradicted] }
        let end = ends.compactMap(\.self).min() ?? .max
        prefix = LongestHistory(of: extents, before: end).extents(after: head)
    }

    /// Takes the other extents that hold further batches.
    private mutating func takeRest(_ extents: [BatchExtent]) {
        var last = prefix.last?.sequences.upperBound ?? beginning.firstSequence - 1
        for extent in extents where extent.sequences.upperBound > last {
            rest.append(extent)
            last = extent.sequences.upperBound
        }
    }

    private static func isCovered(_ damage: LogDamage, by extents: [BatchExtent]) -> Bool {
        guard let sequences = damage.sequences else { return true }
        guard !damage.isOpenEnded else { return false }
        var next = sequences.lowerBound
        // Their ends increase.
        var index = extents.partitioningIndex { $0.sequences.upperBound >= sequences.lowerBound }
        while index < extents.count, extents[index].sequences.contains(next) {
            let last = extents[index].sequences.upperBound
            if last >= sequences.upperBound { return true }
            next = last + 1
            index += 1
        }
        return false
    }

    // MARK: Damage that only several files together show

    private mutating func addDifferingTwins<E: Error>(
        _ firstDifference: (SegmentDamageScan, SegmentDamageScan) throws(E) -> UInt64
    ) throws(E) {
        for (first, second) in zip(scans, scans.dropFirst())
        where first.file.firstSequence == second.file.firstSequence
            && first.damages.isEmpty && second.damages.isEmpty
        {
            let (a, b) = (first.extents.last, second.extents.last)
            guard
                a?.sequences.upperBound != b?.sequences.upperBound
                    || a?.chainHashAfter != b?.chainHashAfter
            else { continue }
            let difference = try firstDifference(second, first)
            let last = b?.sequences.upperBound
            damages.append(
                LogDamage(
                    .chainBroken, "the open and the sealed file of the segment differ",
                    second.file.name, sequences: last.map { min(difference, $0)...$0 }))
        }
    }

    /// Adds the segments that are intact but do not continue their predecessors.
    private mutating func addBrokenChains() {
        var earlier = EarlierExtents()
        var pending = scans.startIndex
        for scan in scans {
            while scans[pending].file.firstSequence < scan.file.firstSequence {
                earlier.append(scans[pending].extents)
                pending += 1
            }
            guard let header = scan.file.header, !scan.isForeign else { continue }
            let first = header.firstSequence
            earlier.advance(to: first)
            let sequences = scan.extents.last.map { first...max(first, $0.sequences.upperBound) }
            if let last = earlier.lastSequence(beyond: first) {
                addBrokenChain(
                    scan.file, SegmentHeader.Offset.firstSequence, sequences,
                    "the segment starts before its predecessor ends, at \(last)")
                continue
            }
            var expected = earlier.chainHashes(before: first)
            if let head, first == head.sequence + 1 { expected = [head.chainHash] }
            guard !expected.isEmpty, !expected.contains(header.chainHashBefore) else { continue }
            addBrokenChain(
                scan.file, SegmentHeader.Offset.chainHashBefore, sequences,
                "the segment continues another history than its predecessor's")
        }
    }

    private mutating func addBrokenChain(
        _ file: SegmentFile, _ offset: Int, _ sequences: ClosedRange<UInt64>?, _ why: String
    ) {
        damages.append(
            LogDamage(
                .chainBroken, why, file.name, at: file.headerOffset + offset, sequences: sequences))
    }

    /// Adds the batches that no file accounts for.
    private mutating func addMissing(_ extents: [BatchExtent], hasUnnamed: Bool) {
        let torn = scans.compactMap { $0.tornTail?.sequences }
        let known = (extents.map(\.sequences) + damages.compactMap(\.sequences) + torn)
            .sorted { $0.lowerBound < $1.lowerBound }
        var next = beginning.firstSequence
        for range in known {
            addMissing(from: next, before: range.lowerBound)
            // A file's name may contain any number.
            next = max(next, range.upperBound == .max ? .max : range.upperBound + 1)
        }
        guard let last = scans.last?.file.firstSequence else {
            guard let floor = beginning.floor else { return }
            return addMissingActive(from: next, HistoryBeginning.missingText(after: floor))
        }
        // The newest segment may be empty, but its header has its first sequence.
        addMissing(from: next, before: last)
        if !hasUnnamed { addMissingActive(after: last, from: max(next, last)) }
    }

    private mutating func addMissing(from next: UInt64, before bound: UInt64) {
        guard next < bound else { return }
        damages.append(
            LogDamage(
                .segmentMissing, "no segment holds these events; restore the file that does",
                SegmentName(next, .sealed), sequences: next...bound - 1))
    }

    /// A segment is sealed after its successor was created, so the successor must exist.
    private mutating func addMissingActive(after last: UInt64, from next: UInt64) {
        let isSealed = scans.contains { scan in
            scan.file.firstSequence == last && scan.file.isSealed && scan.lastKnown != nil
        }
        guard isSealed else { return }
        addMissingActive(
            from: next, "the segment that follows the last sealed one is missing; restore it")
    }

    private mutating func addMissingActive(from next: UInt64, _ why: String) {
        damages.append(
            LogDamage(
                .segmentMissing, why, SegmentName(next, .open), sequences: next...next,
                isOpenEnded: true))
    }
}

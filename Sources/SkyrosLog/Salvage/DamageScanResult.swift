/// Puts what can be read of a log in its order: the history up to the first damage, what stands
/// behind, and what is missing in between.
struct DamageScanResult {
    private(set) var prefix: [BatchExtent] = []
    private(set) var behind: [BatchExtent] = []
    private(set) var damages: [LogDamage] = []

    private let remains: [SegmentDamageScan]
    private let storeID: StoreID?

    init(_ remains: [SegmentDamageScan], _ storeID: StoreID?) {
        self.remains = remains
        self.storeID = storeID
    }

    mutating func conclude() {
        let stretches = remains.flatMap(\.stretches).sorted {
            ($0.sequences.lowerBound, $1.sequences.upperBound)
                < ($1.sequences.lowerBound, $0.sequences.upperBound)
        }
        takePrefix(stretches)
        takeRest(stretches)
        damages = remains.flatMap(\.damages)
        noteTwins()
        noteBrokenChain()
        noteMissing(stretches)
        let readable = prefix + behind
        for index in damages.indices {
            damages[index].isReadable = Self.isCovered(damages[index], by: readable)
        }
        damages.sort { Self.place(of: $0) < Self.place(of: $1) }
    }

    private static func place(of damage: LogDamage) -> (UInt64, UInt64, Int) {
        let segment = damage.segment.firstSequence
        return (damage.sequences?.lowerBound ?? segment, segment, damage.offset ?? -1)
    }

    /// Stretch after stretch from the beginning, as long as each continues the one before. A torn
    /// end ends it, even if a copy of what it tore lies behind: a store that is opened cuts it off.
    /// So does an event that another contradicts.
    private mutating func takePrefix(_ stretches: [BatchExtent]) {
        guard let storeID else { return }
        let ends = remains.flatMap { [$0.tornTail?.sequences?.lowerBound, $0.firstContradicted] }
        let end = ends.compactMap(\.self).min() ?? .max
        var next: UInt64 = 1
        var chainHash = ChainHash(beginning: storeID)
        for stretch in stretches
        where stretch.sequences.lowerBound == next && stretch.chainHashBefore == chainHash
            && next < end
        {
            prefix.append(stretch)
            next = stretch.sequences.upperBound + 1
            chainHash = stretch.chainHashAfter
        }
    }

    /// All else that has numbers of its own.
    private mutating func takeRest(_ stretches: [BatchExtent]) {
        var last = prefix.last?.sequences.upperBound ?? 0
        for stretch in stretches where stretch.sequences.upperBound > last {
            behind.append(stretch)
            last = stretch.sequences.upperBound
        }
    }

    private static func isCovered(_ damage: LogDamage, by stretches: [BatchExtent]) -> Bool {
        guard let sequences = damage.sequences else { return true }
        guard !damage.isOpenEnded else { return false }
        var next = sequences.lowerBound
        for stretch in stretches where stretch.sequences.contains(next) {
            next = stretch.sequences.upperBound + 1
            if next > sequences.upperBound { return true }
        }
        return false
    }

    // MARK: What only several files together show

    private mutating func noteTwins() {
        for (first, second) in zip(remains, remains.dropFirst())
        where first.file.firstSequence == second.file.firstSequence
            && first.damages.isEmpty && second.damages.isEmpty
        {
            let ends = [first, second].map { ($0.stretches.last) }
            guard
                ends[0]?.sequences.upperBound != ends[1]?.sequences.upperBound
                    || ends[0]?.chainHashAfter != ends[1]?.chainHashAfter
            else { continue }
            damages.append(
                LogDamage(
                    .chainBroken, "a segment stands beside its sealed form and they differ",
                    second.file.name,
                    sequences: second.stretches.last.map {
                        second.file.firstSequence...$0.sequences.upperBound
                    }))
        }
    }

    /// A segment that is whole in itself, and does not continue the one before.
    private mutating func noteBrokenChain() {
        for segment in remains {
            guard let header = segment.file.header, header.storeID == storeID else { continue }
            let first = header.firstSequence
            let others = remains.filter { $0.file.firstSequence < first }.flatMap(\.stretches)
            let offset = segment.file.headerOffset
            let own = segment.stretches.last.map { first...max(first, $0.sequences.upperBound) }
            if let other = others.last(where: { $0.sequences.contains(first) }) {
                let why =
                    "the segment begins before its predecessor ends, "
                    + "at \(other.sequences.upperBound)"
                damages.append(
                    LogDamage(
                        .chainBroken, why, segment.file.name, at: offset + 32, sequences: own))
                continue
            }
            var expected = others.filter { $0.sequences.upperBound + 1 == first }.map(
                \.chainHashAfter)
            if first == 1, let storeID { expected = [ChainHash(beginning: storeID)] }
            guard !expected.isEmpty, !expected.contains(header.chainHashBefore) else { continue }
            let why = "the segment continues another history than its predecessor's"
            damages.append(
                LogDamage(.chainBroken, why, segment.file.name, at: offset + 40, sequences: own))
        }
    }

    /// Numbers that no file accounts for.
    private mutating func noteMissing(_ stretches: [BatchExtent]) {
        let torn = remains.compactMap { $0.tornTail?.sequences }
        let known = (stretches.map(\.sequences) + damages.compactMap(\.sequences) + torn)
            .sorted { $0.lowerBound < $1.lowerBound }
        var next: UInt64 = 1
        for range in known {
            noteMissing(from: next, before: range.lowerBound)
            // A name may bear any number.
            next = max(next, range.upperBound == .max ? .max : range.upperBound + 1)
        }
        guard let last = remains.last?.file.firstSequence else { return }
        // The newest segment may hold nothing yet, and still tell where it begins.
        noteMissing(from: next, before: last)
        noteMissingActive(behind: last, from: max(next, last))
    }

    private mutating func noteMissing(from next: UInt64, before bound: UInt64) {
        guard next < bound else { return }
        damages.append(
            LogDamage(
                .segmentMissing, "no segment holds these events; restore the file that does",
                SegmentName(next, .sealed), sequences: next...bound - 1))
    }

    /// The successor of a sealed segment is made before the segment is sealed, so it must exist.
    private mutating func noteMissingActive(behind last: UInt64, from next: UInt64) {
        let isSealed = remains.contains { segment in
            segment.file.firstSequence == last && segment.file.isSealed && segment.lastKnown != nil
        }
        guard isSealed else { return }
        damages.append(
            LogDamage(
                .segmentMissing,
                "the segment that follows the last sealed one is missing; restore it",
                SegmentName(next, .open), sequences: next...next, isOpenEnded: true))
    }
}

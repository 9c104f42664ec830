package import SkyrosDisk

/// A scan of all files of a log that continues after damage: everything that is damaged, and
/// everything that can still be read. It takes no lock and changes nothing.
///
/// As a log it is the history up to the first damage: batches from the first one on, or from a
/// floor on, which the chain hash proves. What can be read after the damage is a list of ranges.
package final class DamageScan: ObservedLog {
    private let disk: any Disk
    private let format: FrameFormat
    private let findings: Findings

    struct Findings: Sendable {
        var storeID: StoreID?
        /// Whether a valid header has that id, or the chain hash proves it.
        var isStoreProved = false
        /// The store of the first segment.
        var originID: StoreID?
        /// The floor that the history begins with.
        var floor: LogFloor?
        var damages: [LogDamage] = []
        var tornTail: LogDamage?
        /// The history up to the first damage.
        var prefix: [BatchExtent] = []
        /// What can be read after it, in order.
        var rest: [BatchExtent] = []
        var statistics = LogStatistics()
        var statedTimes: [StatedTime] = []
    }

    /// How often a pass is repeated that met files in the middle of a change.
    private static let attemptsMax = 20

    /// Scans the log on `disk`. O(size of the log).
    ///
    /// A process may be writing the log, so damage counts if two passes find the same.
    ///
    /// - Parameter progress: called after each file with the number of bytes read, and that of all;
    ///   a log without damage ends at half of them.
    /// - Throws: `LogError`, with `.segmentMissing` if there is no log, `.unsupportedFormat` if a
    ///   newer version wrote it, `.io` if a disk operation fails.
    package init(
        of disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(LogError) {
        self.disk = disk
        format = FrameFormat(options, framing)
        let pass = DamageScanPass(disk: disk, format: format)
        var found: Findings?
        var problem = LogError(.segmentMissing, "there is no log in this directory")
        for attempt in 0..<Self.attemptsMax {
            do throws(LogError) {
                let next = try pass.findings { done, total in
                    progress(min(attempt, 1) * total + done, 2 * total)
                }
                guard let next else { continue }
                let isSure = next.damages.isEmpty || next.damages == found?.damages
                found = next
                if isSure { break }
            } catch {
                problem = error
            }
        }
        guard let found else { throw problem }
        findings = found
    }

    /// All damage, in the order of the batches.
    package var damages: [LogDamage] { findings.damages }

    /// What a crash left of the last write; nil if it left nothing. It was never durable.
    package var tornTail: LogDamage? { findings.tornTail }

    /// The store that the log belongs to; zeros if no segment has a valid ID.
    package var storeID: StoreID { findings.storeID ?? .unknown }

    /// Whether a segment has a valid ID of the store.
    package var isStoreKnown: Bool { findings.isStoreProved }

    /// What takes the place of the batches before the first; nil if there were none, or if it is
    /// damaged.
    package var floor: LogFloor? { findings.floor }

    /// The store whose id the chain hash begins with: that of the first segment of all.
    package var originID: StoreID { findings.originID ?? storeID }

    package var beginning: ChainHash { ChainHash(beginning: originID) }

    package var statedTimes: [StatedTime] { findings.statedTimes }

    package var statistics: LogStatistics? { findings.statistics }

    /// The last batch before the first damage.
    package var head: LogHead {
        guard let last = findings.prefix.last else {
            return floor?.head ?? LogHead(sequence: 0, chainHash: beginning)
        }
        return LogHead(sequence: last.sequences.upperBound, chainHash: last.chainHashAfter)
    }

    /// The batches that can be read after the first damage.
    package var readableAfterDamage: [ClosedRange<UInt64>] {
        findings.rest.reduce(into: []) { ranges, extent in
            let first = max(extent.sequences.lowerBound, (ranges.last?.upperBound ?? 0) + 1)
            if let last = ranges.last, last.upperBound + 1 == first {
                ranges[ranges.count - 1] = last.lowerBound...extent.sequences.upperBound
            } else {
                ranges.append(first...extent.sequences.upperBound)
            }
        }
    }

    /// Returns false: a scan is of one moment.
    package func refresh() throws(LogError) -> Bool { false }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        let index = findings.prefix.partitioningIndex { $0.sequences.upperBound >= sequence }
        guard sequence >= firstSequence, index < findings.prefix.count else { return nil }
        return try chunk(of: findings.prefix[index], containing: sequence)
    }

    /// Reads an extent; or, if a writer has sealed or merged the segment since the scan, batches
    /// from the file that holds its batches now, `sequence` among them.
    private func chunk(
        of extent: BatchExtent, containing sequence: UInt64
    ) throws(LogError) -> LogChunk {
        do throws(LogError) {
            return try extent.chunk(on: disk, format)
        } catch {
            guard let other = try? SealedSegment.holding(extent, on: disk, format) else {
                throw error
            }
            return try other.chunk(containing: sequence, format)
        }
    }

    /// Where a batch of the history up to the damage is.
    package func location(of sequence: UInt64) -> (segment: String, offset: Int)? {
        findings.prefix.first { $0.sequences.contains(sequence) }
            .map { ($0.segment.description, $0.offset) }
    }

    /// Calls `body` with every batch that can be read after `sequence`, in order and once, until it
    /// returns false. The bytes are valid for the call only.
    package func forEach(
        after sequence: UInt64,
        _ body: (_ sequence: UInt64, _ batch: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard sequence < .max else { return }
        var next = sequence + 1
        for extent in findings.prefix + findings.rest {
            let last = extent.sequences.upperBound
            var position = max(next, extent.sequences.lowerBound)
            while position <= last {
                let chunk = try chunk(of: extent, containing: position)
                // A chunk of another file may end after the extent.
                let wantsMore = try chunk.forEach(from: position) { number, batch in
                    number > last ? true : try body(number, batch)
                }
                guard wantsMore else { return }
                position = chunk.lastSequence + 1
            }
            next = max(next, last + 1)
        }
    }
}

extension StoreID {
    /// The placeholder for a store of which nothing is known.
    fileprivate static var unknown: StoreID {
        guard let id = StoreID([UInt8](repeating: 0, count: byteCount)) else {
            preconditionFailure("an ID has this many bytes")
        }
        return id
    }
}

extension SealedSegment {
    /// The sealed segment that holds the batches of an extent, as its chain hash shows; nil if
    /// there is none.
    fileprivate static func holding(
        _ extent: BatchExtent, on disk: any Disk, _ format: FrameFormat
    ) throws(LogError) -> SealedSegment? {
        let first = extent.sequences.lowerBound
        let names = try SegmentName.list(on: disk).filter { $0.kind == .sealed }
        guard let name = names.last(where: { $0.firstSequence <= first }) else { return nil }
        let segment = try SealedSegment(name, on: disk)
        let last = extent.sequences.upperBound
        guard segment.range.contains(last),
            try segment.chainHash(through: last, format) == extent.chainHashAfter
        else { return nil }
        return segment
    }
}

package import SkyrosDisk

/// A look at all files of a log that goes on behind damage, takes no lock and changes nothing:
/// everything that is damaged, and everything that can still be read.
///
/// As a log it is the history up to the first damage: batches that follow one another from the
/// beginning, each proved by the chain hash. What stands behind is offered apart.
package final class DamageScan: ObservedLog {
    private let disk: any Disk
    private let options: LogOptions
    private let framing: PayloadFraming
    private let findings: Findings

    /// What a look found.
    struct Findings: Sendable {
        var storeID: StoreID?
        var damages: [LogDamage] = []
        var tornTail: LogDamage?
        /// The history up to the first damage.
        var prefix: [BatchExtent] = []
        /// What can be read behind it, in order.
        var behind: [BatchExtent] = []
        var statistics = LogStatistics()
    }

    /// How often a look is repeated that met files in the middle of a change.
    private static let attemptsMax = 20

    /// Looks at the log on `disk`. O(size of the log).
    ///
    /// Somebody may be writing it, so damage counts once two looks have found the same.
    ///
    /// - Throws: `LogError`, `.segmentMissing` if there is no log at all, `.unsupportedFormat` if a
    ///   newer version wrote it, `.io` if the disk refuses.
    package init(
        of disk: any Disk, _ options: LogOptions, framing: @escaping PayloadFraming
    ) throws(LogError) {
        self.disk = disk
        self.options = options
        self.framing = framing
        let look = DamageScanPass(
            disk: disk, framing: framing, contentBytesMax: options.contentBytesMax)
        var found: Findings?
        var problem = LogError(.segmentMissing, "there is no log in this directory")
        for _ in 0..<Self.attemptsMax {
            do throws(LogError) {
                guard let next = try look.findings() else { continue }
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

    /// Everything that is damaged, in the order of the batches.
    package var damages: [LogDamage] { findings.damages }

    /// What a crash left of the last write, if so: nothing that was promised to be kept.
    package var tornTail: LogDamage? { findings.tornTail }

    /// The store that the log belongs to; zeros if nothing tells.
    package var storeID: StoreID { findings.storeID ?? .unknown }

    /// Whether the log says which store it belongs to.
    package var isStoreKnown: Bool { findings.storeID != nil }

    package var statistics: LogStatistics? { findings.statistics }

    /// Where history ends: before the first damage.
    package var head: LogHead {
        guard let last = findings.prefix.last else {
            return LogHead(sequence: 0, chainHash: ChainHash(beginning: storeID))
        }
        return LogHead(sequence: last.sequences.upperBound, chainHash: last.chainHashAfter)
    }

    /// The batches that can be read behind the first damage.
    package var readableBehind: [ClosedRange<UInt64>] {
        findings.behind.reduce(into: []) { ranges, stretch in
            let first = max(stretch.sequences.lowerBound, (ranges.last?.upperBound ?? 0) + 1)
            if let last = ranges.last, last.upperBound + 1 == first {
                ranges[ranges.count - 1] = last.lowerBound...stretch.sequences.upperBound
            } else {
                ranges.append(first...stretch.sequences.upperBound)
            }
        }
    }

    /// A survey is of one moment; look anew for another.
    package func refresh() throws(LogError) -> Bool { false }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        var low = 0
        var high = findings.prefix.count
        while low < high {
            let middle = (low + high) / 2
            if findings.prefix[middle].sequences.upperBound < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard sequence >= 1, low < findings.prefix.count else { return nil }
        return try chunk(of: findings.prefix[low])
    }

    /// Where a batch of the history stands.
    package func place(of sequence: UInt64) -> (segment: String, offset: Int)? {
        findings.prefix.first { $0.sequences.contains(sequence) }
            .map { ($0.segment.description, $0.offset) }
    }

    /// Calls `body` with every batch that can be read behind `sequence`, in order and each number
    /// once, until it returns false. The bytes are valid for the call only.
    package func forEach(
        behind sequence: UInt64,
        _ body: (_ sequence: UInt64, _ batch: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var next = sequence + 1
        for stretch in findings.prefix + findings.behind where stretch.sequences.upperBound >= next
        {
            guard try chunk(of: stretch).forEach(from: next, body) else { return }
            next = stretch.sequences.upperBound + 1
        }
    }

    private func chunk(of stretch: BatchExtent) throws(LogError) -> LogChunk {
        try stretch.chunk(
            on: disk, framing: framing, contentBytesMax: options.contentBytesMax)
    }
}

extension StoreID {
    /// What stands for a store of which nothing is known.
    fileprivate static var unknown: StoreID {
        guard let id = StoreID([UInt8](repeating: 0, count: byteCount)) else {
            preconditionFailure("an id has this many bytes")
        }
        return id
    }
}

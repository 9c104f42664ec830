import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// Logs that are closed after each few batches, so that they have many small segments.
struct SessionLog {
    /// Segments are merged once they hold 2,400, 19,200 and 32,768 bytes together.
    static let fixture = {
        var fixture = LogFixture(segmentBytesMax: 64 << 10)
        fixture.options.sealThresholdBytes = 300
        return fixture
    }()

    /// Makes a log with sealed segments of some batches each, and an empty active one.
    static func make(_ batchCounts: [Int], on disk: any Disk) throws -> FileLog {
        let log = try fixture.make(on: disk)
        for count in batchCounts {
            try log.append(count)
            try log.seal()
        }
        return log
    }
}

extension FileLog {
    /// Ends and seals the active segment, as closing does.
    func seal() throws {
        try sync(through: end)
        _ = try endSegment(after: head.sequence, at: Int64(head.sequence))
        while try sealNext() {}
    }

    /// Merges what is due; returns how often.
    @discardableResult
    func mergeAll() throws -> Int {
        var count = 0
        while try mergeNext() { count += 1 }
        return count
    }

    var sealedNames: [SegmentName] { state.withLock { $0.catalog.sealed.map(\.name) } }
}

extension SimulatedDisk {
    /// The names of the sealed segments.
    var sealed: [String] { contents.keys.filter { $0.hasSuffix(".zst") }.sorted() }
}

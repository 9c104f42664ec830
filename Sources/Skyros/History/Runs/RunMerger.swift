import SkyrosDisk
import SkyrosLog

/// Writes the versions of neighbouring runs to one.
enum RunMerger {
    /// - Parameter runs: two or more, each of which continues the one before.
    /// - Returns: the name of the merged run, which is complete and durable; nil if `isWanted` has
    ///   returned false, with nothing left.
    /// - Throws: `LogError` with `.corrupt` if one of the runs is damaged.
    static func merge(
        _ runs: [HistoryRun], on disk: any Disk, while isWanted: () -> Bool
    ) throws -> RunName? {
        guard let first = runs.first?.header, let last = runs.last?.header else {
            preconditionFailure("a merge has runs")
        }
        let header = RunHeader(
            storeID: first.storeID,
            sequences: first.sequences.lowerBound...last.sequences.upperBound,
            chainHashBefore: first.chainHashBefore, chainHashAfter: last.chainHashAfter,
            logByteCount: runs.reduce(0) { $0 + $1.header.logByteCount })
        var writer = try RunWriter(header, on: disk)
        var cursors: [RunCursor] = []
        for run in runs { cursors.append(try RunCursor(run)) }
        var versions = CBORWriter(capacity: 1 << 16)
        while let key = cursors.compactMap(\.key).min() {
            guard isWanted() else {
                try disk.remove(RunName(header.sequences, .temporary).path)
                return nil
            }
            versions.removeAll(keepingCapacityUpTo: 1 << 20)
            for index in cursors.indices {
                // What is longer than a frame is in several items.
                while cursors[index].key == key {
                    cursors[index].versions.withUnsafeBytes { versions.append(raw: $0) }
                    try cursors[index].advance()
                }
            }
            try writer.append(key, versions)
        }
        return try writer.finish()
    }
}

/// A position in the items of a run.
struct RunCursor {
    private let run: HistoryRun
    private var frame = 0
    private var content: [UInt8] = []
    private var offset = 0
    /// The key of the current item; nil after the last one.
    private(set) var key: HistoryKey?
    /// Its versions.
    private(set) var versions: [UInt8] = []

    /// A cursor at the first item.
    init(_ run: HistoryRun) throws {
        self.run = run
        try advance()
    }

    mutating func advance() throws {
        if offset >= content.count {
            guard frame < run.frameCount else {
                key = nil
                return
            }
            content = try run.readContent(ofFrame: frame)
            (frame, offset) = (frame + 1, 0)
        }
        do {
            try content.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes, at: offset)
                let item = try RunItem(&reader)
                key = item.historyKey
                versions = [UInt8](item.versions)
                offset = reader.offset
            }
        } catch let error as CBORError {
            throw run.damage(frame - 1, error)
        }
    }
}

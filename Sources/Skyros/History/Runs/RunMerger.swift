import SkyrosDisk
import SkyrosLog

/// Writes the versions of neighbouring runs to one, step by step.
///
/// - Note: `@unchecked` because of the writer and the cursors: used by one thread at a time.
final class RunMerger: @unchecked Sendable {
    /// What a step reads, uncompressed: other work that is due comes between two.
    private static let stepBytes = 4 << 20

    /// Two or more, each of which continues the one before.
    let runs: [HistoryRun]
    private let name: RunName
    private let disk: any Disk
    private var writer: RunWriter?
    private var cursors: [RunCursor]

    /// Creates the file under a temporary name.
    ///
    /// - Throws: `LogError` with `.corrupt` if one of the runs is damaged.
    init?(_ runs: [HistoryRun], on disk: any Disk) throws {
        guard let first = runs.first?.header, let last = runs.last?.header else { return nil }
        var happened = HappeningOrder()
        for run in runs { happened.append(run.header.happened) }
        let header = RunHeader(
            storeID: first.storeID,
            sequences: first.sequences.lowerBound...last.sequences.upperBound,
            times: first.times.joined(with: last.times), happened: happened.times,
            chainHashBefore: first.chainHashBefore, chainHashAfter: last.chainHashAfter,
            logByteCount: runs.reduce(0) { $0 + $1.header.logByteCount })
        self.runs = runs
        self.disk = disk
        name = RunName(header.sequences)
        cursors = try runs.map { try RunCursor($0) }
        writer = try RunWriter(header, on: disk)
    }

    /// Merges some more, and returns the name of the merged run once it is complete and durable.
    ///
    /// - Throws: `LogError` with `.corrupt` if one of the runs is damaged; the errors of the disk.
    ///   The merger is of no use then.
    func step() throws -> RunName? {
        var byteCount = 0
        while let key = cursors.compactMap(\.key).min() {
            for index in cursors.indices {
                // What is longer than a frame is in several items.
                while cursors[index].key == key {
                    if byteCount >= Self.stepBytes { return nil }
                    byteCount += cursors[index].versions.count
                    try append(key, &cursors[index])
                }
            }
        }
        return try writer.take()?.finish()
    }

    private func append(_ key: HistoryKey, _ cursor: inout RunCursor) throws {
        do {
            try cursor.versions.withUnsafeBytes { try writer?.append(key, $0) }
        } catch let error as CBORError {
            throw cursor.damage(error)
        }
        try cursor.advance()
    }

    /// Removes what was written.
    func abandon() {
        writer = nil
        // What is left is removed by the next opening.
        try? disk.remove(RunName(name.sequences, .temporary).path)
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
            throw damage(error)
        }
    }

    /// The error of the current item, which cannot be read.
    func damage(_ error: CBORError) -> LogError { run.damage(frame - 1, error) }
}

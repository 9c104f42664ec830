import Foundation
import Skyros

/// The sealed segments of a closed store, as anybody sees them who lists the directory.
struct SealedLog {
    struct Segment {
        let file: URL
        let bytes: Int
        let events: Range<UInt64>
    }

    let segments: [Segment]

    init(of store: URL) throws {
        let directory = store.appending(path: "events")
        let names = try FileManager.default
            .contentsOfDirectory(atPath: directory.path(percentEncoded: false)).sorted()
        let firsts = names.map { UInt64($0.prefix { $0 != "." }) ?? 0 }
        // The last file is never whole: its events are followed by preallocated bytes.
        segments = try zip(names, zip(firsts, firsts.dropFirst())).compactMap { name, range in
            guard name.hasSuffix(".zst") else { return nil }
            let file = directory.appending(path: name)
            return Segment(
                file: file, bytes: try FileSizes.bytes(of: file), events: range.0..<range.1)
        }
    }

    /// The segments that hold nothing but events of this range.
    func segments(within events: ClosedRange<UInt64>) throws -> [Segment] {
        let found = segments.filter {
            $0.events.lowerBound >= events.lowerBound && $0.events.upperBound <= events.upperBound
        }
        guard !found.isEmpty else {
            throw BenchmarkError("no sealed segment within events \(events)")
        }
        return found
    }
}

/// Sizes on disk.
enum FileSizes {
    static func bytes(of file: URL) throws -> Int {
        try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
}

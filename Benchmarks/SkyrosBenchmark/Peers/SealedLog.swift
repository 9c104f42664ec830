import Foundation

/// The sealed segments of a closed store, as a listing of the directory shows them.
struct SealedLog {
    let files: [URL]
    /// The events that they hold.
    let events: Range<UInt64>

    /// - Parameter last: the number of the last event.
    init(of store: URL, last: UInt64) throws {
        let directory = store.appending(path: "events")
        let names = try FileManager.default
            .contentsOfDirectory(atPath: directory.path(percentEncoded: false)).sorted()
        files = names.filter { $0.hasSuffix(".zst") }.map { directory.appending(path: $0) }
        // What follows the sealed segments is in one file that is not sealed.
        let open = names.first { !$0.hasSuffix(".zst") }
        let end = open.flatMap { UInt64($0.prefix { $0 != "." }) } ?? last + 1
        guard !files.isEmpty, end > 1 else {
            throw BenchmarkError("\(store.path) has no sealed segment")
        }
        events = 1..<end
    }

    var bytes: Int {
        get throws { try files.reduce(0) { try $0 + FileSizes.bytes(of: $1) } }
    }
}

/// Sizes on disk.
enum FileSizes {
    static func bytes(of file: URL) throws -> Int {
        try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
}

import SkyrosDisk
import SkyrosLog

/// The names that a store gives to files: an erasure removes no others.
enum StoreFileNames {
    /// Files beside the directories, without the lock and the marker of an erasure.
    static let root = checkpoints.union([
        FormatNote.file.name, DiskPath.serverMarker.name, DiskPath.unfinishedCopy.name,
        DiskPath.replacedHistory.name, DiskPath.unfinishedMark.name, ScrubState.file.name,
        ScrubState.unfinished.name,
    ])

    /// The checkpoint, one that is being made, and the files that SQLite makes beside a database.
    static let checkpoints = Set(
        [DiskPath.checkpoint, .unfinishedCheckpoint].flatMap { file in
            ["", "-journal", "-wal", "-shm"].map { file.name + $0 }
        })

    /// Whether a name in `quarantine/` is that of a checkpoint, a segment, the torn tail of one, or
    /// a run: `checkpoint-1.sqlite`, `00000000000000000001.zst`,
    /// `00000000000000000001.open-at-96.2`, `00000000000000000001-00000000000000000009.zst.1`.
    static func isQuarantined(_ name: String) -> Bool {
        if let rest = name.removing("checkpoint-") {
            return rest.hasSuffix(".sqlite") && isNumber(rest.dropLast(".sqlite".count))
        }
        guard let dot = name.firstIndex(of: ".") else { return false }
        let kind = name[name.index(after: dot)...].prefix { $0.isASCII && $0.isLetter }
        let plain = "\(name[..<dot]).\(kind)"
        guard SegmentName(plain) != nil || RunName(plain) != nil else { return false }
        var rest = name[kind.endIndex...]
        if let offset = String(rest).removing("-at-") {
            rest = offset.drop { $0.isASCII && $0.isNumber }
            if rest.count == offset.count { return false }
        }
        // Another number where the name was taken.
        return rest.isEmpty || rest.first == "." && isNumber(rest.dropFirst())
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
    }
}

extension DiskPath {
    /// Says whose copy the files of a node are. Without it they are a store that has no server.
    static let serverMarker = DiskPath(.root, "SERVER.txt")

    /// The same of a copy that is to be a store, until it is complete.
    static let unfinishedCopy = DiskPath(.root, "UNFINISHED.txt")

    /// Says that the server had another history than the copy of a node, until that is reported.
    static let replacedHistory = DiskPath(.root, "REPLACED.txt")

    /// One of these three, before it has its name.
    static let unfinishedMark = DiskPath(.root, "MARK.tmp")
}

extension String {
    /// What follows the prefix; nil if the text does not begin with it.
    fileprivate func removing(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

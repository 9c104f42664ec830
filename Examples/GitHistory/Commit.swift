import Foundation

/// A commit and its changes relative to its first parent.
struct Commit {
    struct Change {
        /// "A" added, "M" modified, "T" type changed, "D" deleted.
        let status: String
        let mode: String
        let blob: String
        let path: String
    }

    let hash: String
    let author: String
    /// When the author has made it, in seconds since 1970. Times may fall from commit to commit.
    let time: Int
    let subject: String
    var changes: [Change] = []
}

/// An incremental parser for the output of `git log`.
struct CommitParser {
    /// The arguments for git. In their output fields end with a NUL byte, a commit starts with a
    /// byte 1, a change with a colon.
    static let arguments = [
        "log", "--first-parent", "-m", "--root", "--raw", "-z", "--no-abbrev", "--no-renames",
        "--reverse", "--format=%x01%H%x00%an%x00%at%x00%s",
    ]

    private var rest: [UInt8] = []
    private var fields: [String] = []
    private var current: Commit?
    private var pending: [Substring]?

    /// Parses a chunk of output, and calls `body` for each complete commit.
    mutating func parse(_ data: Data, _ body: (Commit) throws -> Void) throws {
        rest.append(contentsOf: data)
        var start = 0
        while let end = rest[start...].firstIndex(of: 0) {
            try parse(field: rest[start..<end], body)
            start = end + 1
        }
        rest.removeFirst(start)
    }

    /// Calls `body` for the last commit.
    mutating func finish(_ body: (Commit) throws -> Void) throws {
        if let commit = current { try body(commit) }
        current = nil
    }

    private mutating func parse(
        field: ArraySlice<UInt8>, _ body: (Commit) throws -> Void
    ) throws {
        if let change = pending {
            pending = nil
            current?.changes.append(
                Commit.Change(
                    status: String(change[4].prefix(1)), mode: String(change[1]),
                    blob: String(change[3]), path: PathName.text(field)))
            return
        }
        let isHead = field.first == 1
        if isHead || !fields.isEmpty {
            if isHead, fields.isEmpty { try finish(body) }
            fields.append(String(decoding: isHead ? field.dropFirst() : field, as: UTF8.self))
            if fields.count == 4 { beginCommit() }
            return
        }
        let text = String(decoding: field.drop { $0 == UInt8(ascii: "\n") }, as: UTF8.self)
        guard text.hasPrefix(":") else { return }
        pending = text.dropFirst().split(separator: " ")
    }

    private mutating func beginCommit() {
        current = Commit(
            hash: fields[0], author: fields[1], time: Int(fields[2]) ?? 0, subject: fields[3])
        fields = []
    }
}

import Foundation
import Skyros

/// Compares the store with git: past states with old commits, the checkpoint with HEAD.
struct Checker {
    let git: Git

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// Checks the state as of `count` random commits, including the first and the last one.
    func checkHistory(
        of store: Store, _ count: Int, seed: UInt64, report: (Int, Int) -> Void
    ) throws -> Int {
        let last = Int(store.sequence.rawValue)
        guard last > 0, count > 0 else { return 0 }
        var random = SplitMix64(seed: seed)
        var picked = Set([1, last].prefix(count))
        while picked.count < min(count, last) {
            picked.insert(Int.random(in: 1...last, using: &random))
        }
        for (done, number) in picked.sorted().enumerated() {
            try check(store, at: SequenceNumber(rawValue: UInt64(number)))
            report(done + 1, picked.count)
        }
        return picked.count
    }

    private func check(_ store: Store, at sequence: SequenceNumber) throws {
        guard let event = try store.event(sequence), let commit = event.metadata.tags["commit"]
        else { throw Mismatch(description: "event \(sequence) has no tag \"commit\"") }
        try checkTime(of: event, commit)
        let state = try store.snapshot(asOf: .sequence(sequence))
        let files = lines(try state.all(File.self))
        try compare(files, with: commit, "the store as of event \(sequence)")
        // By the index of the history: all files, and one.
        let past = try store.past(asOf: .sequence(sequence))
        try compare(lines(past.all(File.self)), with: commit, "the past of event \(sequence)")
        guard !files.isEmpty else { return }
        let line = files[files.count / 2]
        let file = try store.get(File.self, line.path, asOf: .sequence(sequence))
        guard lines(file.map { [$0] } ?? []) == [line] else {
            throw Mismatch(description: "\(line.path) is another one as of event \(sequence)")
        }
    }

    private func lines(_ files: [File]) -> [Line] {
        files.map { Line(path: $0.id, mode: $0.mode, blob: $0.blob) }
    }

    /// Compares the checkpoint, read by the `sqlite3` tool, with HEAD.
    func checkCheckpoint(in place: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let file = place.appending(path: "checkpoint.sqlite").path
        process.arguments = [
            "sqlite3", "-readonly", "-json", file,
            "SELECT id AS path, mode, blob FROM \"File\"",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let rows = data.isEmpty ? [] : try JSONDecoder().decode([Line].self, from: data)
        try compare(rows, with: "HEAD", "the checkpoint")
    }

    private struct Line: Hashable, Codable {
        let path: String
        let mode: String
        let blob: String

        /// Bytes, since git compares paths by bytes, but Swift compares strings by canonical
        /// equivalence.
        var key: [UInt8] { Array("\(mode) \(blob) \(path)".utf8) }
    }

    private func compare(_ lines: [Line], with commit: String, _ what: String) throws {
        let stored = Set(lines.map(\.key))
        let expected = Set(try tree(commit).map(\.key))
        guard stored == expected, stored.count == lines.count else {
            let example = stored.symmetricDifference(expected).first ?? []
            throw Mismatch(
                description: "\(what) differs from git's tree of \(commit), for example at "
                    + "\"\(String(decoding: example, as: UTF8.self))\"")
        }
    }

    /// The files of a commit. `git ls-tree -z` prints `mode type object\tpath` and a NUL for each.
    private func tree(_ commit: String) throws -> [Line] {
        let data = try git.output("ls-tree", "-r", "-z", "--full-tree", commit)
        return data.split(separator: 0).map { entry in
            let tab = entry.firstIndex(of: UInt8(ascii: "\t")) ?? entry.endIndex
            let head = String(decoding: entry[..<tab], as: UTF8.self).split(separator: " ")
            let path = PathName.text(entry[tab...].dropFirst())
            return Line(path: path, mode: String(head[0]), blob: String(head[2]))
        }
    }
}

/// A small deterministic random number generator.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

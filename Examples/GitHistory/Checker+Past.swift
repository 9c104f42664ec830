import Foundation
import Skyros

// Differences between moments, the origin of values, and the times at which things happened.

extension Checker {
    /// Compares `store.diff` with `git diff` for `count` random pairs of commits.
    func checkDifferences(in store: Store, _ count: Int, seed: UInt64) throws -> Int {
        let last = store.sequence.rawValue
        guard last > 0 else { return 0 }
        var random = SplitMix64(seed: seed)
        for _ in 0..<count {
            let (a, b) = (
                UInt64.random(in: 1...last, using: &random),
                UInt64.random(in: 1...last, using: &random)
            )
            let old = SequenceNumber(rawValue: a)
            let new = SequenceNumber(rawValue: b)
            let found = Set(try lines(of: store.diff(from: .sequence(old), to: .sequence(new))))
            let expected = Set(try differences(commit(old, in: store), commit(new, in: store)))
            guard found == expected else {
                throw Mismatch(
                    description: "the difference between the events \(old) and \(new) is not "
                        + "that of git, for example at "
                        + "\"\(found.symmetricDifference(expected).first ?? "")\"")
            }
        }
        return count
    }

    /// The files that differ, as git lists them. A file whose change was taken back differs in its
    /// revision only, which git does not know.
    private func lines(of differences: [RecordDifference]) throws -> [String] {
        try differences.filter { $0.entity == File.entityName }.compactMap { difference in
            let old = try difference.before(as: File.self)
            let new = try difference.after(as: File.self)
            if old?.mode == new?.mode, old?.blob == new?.blob { return nil }
            return Self.line(
                old?.mode, old?.blob, new?.mode, new?.blob, path: (new ?? old)?.id ?? "")
        }
    }

    /// `git diff --raw -z` prints `:mode mode blob blob status`, a NUL, the path and a NUL for each
    /// file.
    private func differences(_ old: String, _ new: String) throws -> [String] {
        let output = try git.output(
            "diff", "--raw", "-z", "--no-renames", "--no-abbrev", old, new)
        let fields = output.split(separator: 0, omittingEmptySubsequences: false)
        return stride(from: 0, to: fields.count - 1, by: 2).map { place in
            let head = String(decoding: fields[place].dropFirst(), as: UTF8.self)
                .split(separator: " ").map(String.init)
            let (isNew, isGone) = (head[4].hasPrefix("A"), head[4].hasPrefix("D"))
            return Self.line(
                isNew ? nil : head[0], isNew ? nil : head[2], isGone ? nil : head[1],
                isGone ? nil : head[3], path: PathName.text(fields[place + 1]))
        }
    }

    private static func line(
        _ oldMode: String?, _ oldBlob: String?, _ newMode: String?, _ newBlob: String?,
        path: String
    ) -> String {
        [oldMode, oldBlob, newMode, newBlob, path].map { $0 ?? "-" }.joined(separator: " ")
    }

    /// Compares the event that gave a file its content with the last commit that changed it, for
    /// `count` random files of HEAD.
    func checkOrigins(in store: Store, _ count: Int, seed: UInt64) throws -> Int {
        let files = try store.all(File.self)
        var random = SplitMix64(seed: seed)
        let picked = files.filter { !$0.id.hasPrefix("bytes:") }.shuffled(using: &random)
            .prefix(count)
        for file in picked {
            let origin = try store.blame(of: File.self, file.id).first { $0.field == "revision" }
            let found = origin?.entry.metadata.tags["commit"] ?? "none"
            let expected = try git.line(
                "--literal-pathspecs", "log", "--first-parent", "-m", "-1", "--format=%H", "--",
                file.id)
            guard found == expected else {
                throw Mismatch(
                    description: "\"\(file.id)\" was changed last by \(expected), and the store "
                        + "says by \(found)")
            }
        }
        return picked.count
    }

    /// Throws if an event does not say when its commit was made.
    func checkTime(of event: Event, _ commit: String) throws {
        let seconds = Double(try git.line("show", "-s", "--format=%at", commit)) ?? .nan
        guard event.metadata.occurredAt?.date != Date(timeIntervalSince1970: seconds) else {
            return
        }
        throw Mismatch(
            description: "event \(event.sequence) happened at \(event.happenedAt), and its commit "
                + "\(commit) was made at \(seconds) seconds since 1970")
    }

    private func commit(_ sequence: SequenceNumber, in store: Store) throws -> String {
        try store.event(sequence)?.metadata.tags["commit"] ?? ""
    }
}

import Foundation
import TestSupport

/// A generated git history that adds, changes, renames and removes files in 40 directories, with
/// branches that are merged, and times that fall.
enum LongHistory {
    private static let pathCount = 3_000

    /// A file that one commit adds, and none changes.
    static let plantedPath = "planted/fault.txt"

    /// The input of `git fast-import`, whose first-parent history has this number of commits.
    /// https://git-scm.com/docs/git-fast-import
    ///
    /// - Parameter planted: the commit that adds `plantedPath`; it merges nothing.
    static func stream(commitCount: Int, planted: Int) -> Data {
        var history = Writer()
        for number in 1...commitCount {
            let isMerge = number % 40 == 0
            if isMerge { history.branch(from: number - 10, number) }
            history.commit(number, merging: isMerge)
            if number == planted { history.plant() }
        }
        return Data(history.text.utf8)
    }

    private struct Writer {
        private(set) var text = ""
        private var random = RandomSource(seed: 7)
        private var present: Set<Int> = []

        private static func path(_ file: Int) -> String {
            "directory \(file % 40)/file \(file).txt"
        }

        private mutating func head(_ branch: String, _ number: Int, _ message: String) {
            // One commit of ten was made on a computer with a wrong clock.
            let error = random.below(10) == 0 ? random.below(5_000_000) : 0
            let time = 1_500_000_000 + number * 600 - error
            let author = 1 + random.below(30)
            text += "commit refs/heads/\(branch)\n"
            text += branch == "main" ? "mark :\(number)\n" : "mark :\(1_000_000 + number)\n"
            text += "author Author \(author) <author@example.org> \(time) +0000\n"
            text += "committer Author \(author) <author@example.org> \(time) +0000\n"
            text += "data \(message.utf8.count)\n\(message)\n"
        }

        /// A commit beside the first-parent history, which that merges next.
        mutating func branch(from base: Int, _ number: Int) {
            head("side", number, "Work for \(number)")
            text += "from :\(base)\nM 100644 inline merged/\(number).txt\ndata 4\nside\n\n"
        }

        mutating func commit(_ number: Int, merging isMerge: Bool) {
            head("main", number, isMerge ? "Merge work for \(number)" : "Change \(number)")
            if number > 1 { text += "from :\(number - 1)\n" }
            if isMerge {
                text += "merge :\(1_000_000 + number)\n"
                text += "M 100644 inline merged/\(number).txt\ndata 4\nside\n"
            }
            for _ in 0...random.below(5) { change(random.below(LongHistory.pathCount), number) }
        }

        /// Adds the file to the last commit.
        mutating func plant() {
            text += "M 100644 inline \(LongHistory.plantedPath)\ndata 6\nfault\n\n"
        }

        private mutating func change(_ file: Int, _ number: Int) {
            let other = random.below(LongHistory.pathCount)
            switch random.below(8) {
            case 0 where present.contains(file):
                present.remove(file)
                text += "D \(Self.path(file))\n"
            case 1 where present.contains(file) && !present.contains(other):
                present.remove(file)
                present.insert(other)
                // A path with spaces is quoted where another follows.
                text += "R \"\(Self.path(file))\" \(Self.path(other))\n"
            default:
                present.insert(file)
                let mode = random.below(12) == 0 ? "100755" : "100644"
                let content = "\(number) \(random.next())"
                text += "M \(mode) inline \(Self.path(file))\n"
                text += "data \(content.utf8.count)\n\(content)\n"
            }
        }
    }
}

import Foundation
import TestSupport

/// A generated git history that adds, changes and removes files in 40 directories.
enum LongHistory {
    private static let pathCount = 3_000

    /// The input of `git fast-import`. https://git-scm.com/docs/git-fast-import
    static func stream(commitCount: Int) -> Data {
        var random = RandomSource(seed: 7)
        var present: Set<Int> = []
        var text = ""
        for number in 1...commitCount {
            let time = 1_500_000_000 + number * 600
            let author = Int.random(in: 1...30, using: &random)
            let message = "Change \(number)"
            text += "commit refs/heads/main\n"
            text += "author Author \(author) <author@example.org> \(time) +0000\n"
            text += "committer Author \(author) <author@example.org> \(time) +0000\n"
            text += "data \(message.utf8.count)\n\(message)\n"
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let file = Int.random(in: 0..<pathCount, using: &random)
                let path = "directory \(file % 40)/file \(file).txt"
                if present.contains(file), Int.random(in: 0..<7, using: &random) == 0 {
                    present.remove(file)
                    text += "D \(path)\n"
                } else {
                    present.insert(file)
                    let content = "\(number) \(UInt64.random(in: 0...(.max), using: &random))"
                    text += "M 100644 inline \(path)\ndata \(content.utf8.count)\n\(content)\n"
                }
            }
            text += "\n"
        }
        return Data(text.utf8)
    }
}

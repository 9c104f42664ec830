import Foundation
import Skyros

/// A file of the repository after the last imported commit.
struct File: Entity {
    /// The path; see `PathName` for paths that are not UTF-8.
    var id: String
    /// The mode as git writes it: "100644", "100755", "120000" (link), "160000" (submodule).
    var mode: String
    /// The object id of the content.
    var blob: String
    /// The number of commits that have changed the file since it was created.
    var revision: Int
    /// The author of the last of these commits.
    var author: String

    static let indexes: [Index<File>] = [.on(\.author)]
}

/// The progress of the import. Each write block updates it, so that a commit without changes to
/// files is an event too.
struct Branch: Entity {
    static let main = "first-parent"

    var id: String
    /// The last commit imported.
    var commit: String
    var commitCount: Int
}

/// Converts a path of git, which is any sequence of bytes, to a unique string.
///
/// A path in UTF-8 is kept as it is. Other paths, and those that start with `bytes:`, become
/// `bytes:` and hexadecimal digits.
enum PathName {
    private static let prefix = "bytes:"

    static func text(_ path: some Collection<UInt8>) -> String {
        if let text = String(validating: path, as: UTF8.self), !text.hasPrefix(prefix) {
            return text
        }
        return prefix
            + path.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

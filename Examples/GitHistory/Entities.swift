import Foundation
import Skyros

/// One path of the repository, as the last imported commit left it.
struct File: Entity {
    /// The path; see `PathName` for paths that are not UTF-8.
    var id: String
    /// The mode as git writes it: "100644", "100755", "120000" (link), "160000" (submodule).
    var mode: String
    /// The object id of the content.
    var blob: String
    /// How many commits have changed the path since it came into being.
    var revision: Int
    /// The author of the last of them.
    var author: String

    static let indexes: [Index<File>] = [.on(\.author)]
}

/// How far the import has come. Each block writes it too, so every commit is an event, also one
/// that touches no file.
struct Branch: Entity {
    static let main = "first-parent"

    var id: String
    /// The last commit imported.
    var commit: String
    var commitCount: Int
}

/// A path as text, whatever its bytes are.
///
/// Git's paths are bytes. UTF-8 is kept as it is, other bytes become `bytes:` and hex digits,
/// and so does UTF-8 that begins with that word: no two paths share a name.
enum PathName {
    private static let mark = "bytes:"

    static func text(_ path: some Collection<UInt8>) -> String {
        if let text = String(validating: path, as: UTF8.self), !text.hasPrefix(mark) {
            return text
        }
        return mark + path.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

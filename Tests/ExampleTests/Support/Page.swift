import Foundation
import TestSupport

/// A page of the documents, whose code is compared with code that is compiled.
struct Page: Sendable {
    private let url: URL

    init(_ path: String) {
        url = Repository.root.appending(path: path)
    }

    var text: String {
        get throws { try String(contentsOf: url, encoding: .utf8) }
    }

    /// The blocks of code in Swift, but for the left columns of tables, which show other libraries.
    var code: [String] {
        get throws {
            let parts = try text.components(separatedBy: "<tr><td>")
            let ours =
                parts.prefix(1)
                + parts.dropFirst().map {
                    $0.components(separatedBy: "</td><td>").dropFirst().joined()
                }
            return ours.joined().components(separatedBy: "```swift\n").dropFirst().map {
                $0.components(separatedBy: "```")[0]
            }
        }
    }

    /// The words of all Swift files of directories.
    static func sources(in directories: String...) throws -> String {
        var texts: [String] = []
        for directory in directories {
            let url = Repository.root.appending(path: directory)
            for path in try FileManager.default.subpathsOfDirectory(atPath: url.path)
            where path.hasSuffix(".swift") {
                texts.append(try String(contentsOf: url.appending(path: path), encoding: .utf8))
            }
        }
        return texts.map(\.words).joined(separator: " ")
    }
}

extension String {
    /// The text with one space for each run of white space, and without `private`, which the
    /// documents leave out.
    var words: String {
        split(whereSeparator: \.isWhitespace).filter { $0 != "private" }.joined(separator: " ")
    }
}

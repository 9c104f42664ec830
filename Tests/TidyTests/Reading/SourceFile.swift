import Foundation

/// A file of the repository, parsed once for all rules.
struct SourceFile {
    let path: String
    let text: String
    let lines: [String]
    /// The comment on each line, or nothing; empty unless it is Swift or a script.
    let comments: [String]
    let tokens: [Token]
    let declarations: [Declaration]
    /// Whether a line has code besides its comment.
    private let hasCode: Set<Int>

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        lines = Self.split(text)
        guard path.hasSuffix(".swift") else {
            let isScript = text.hasPrefix("#!") || path.hasSuffix(".py")
            comments = isScript ? lines.map { String($0.drop { $0 != "#" }) } : []
            (tokens, declarations, hasCode) = ([], [], [])
            return
        }
        let scanner = SourceScanner(text)
        comments = Self.split(String(decoding: scanner.comments, as: UTF8.self)).map {
            String($0.drop { $0 == " " })
        }
        tokens = Token.all(in: scanner.code)
        hasCode = Set(tokens.map(\.line))
        declarations = DeclarationParser.declarations(in: tokens)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isPage: Bool { path.hasSuffix(".md") }

    /// Whether the file is one of `places`, or in one that ends with a slash.
    func isIn(_ places: [String]) -> Bool {
        places.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }
    }

    func finding(_ line: Int, _ advice: String) -> Finding {
        Finding(path: path, line: line, advice: advice)
    }

    /// The comment that ends directly above `line`, as one text.
    func comment(above line: Int) -> String {
        var start = line - 1
        while start > 0, !hasCode.contains(start), !comments[start - 1].isEmpty { start -= 1 }
        return comments[start..<(line - 1)].joined(separator: "\n")
    }

    /// The lines for people, with their numbers: comments, and a page without its code spans.
    var sentences: [(line: Int, text: String)] {
        (isPage ? lines.map(Self.withoutSpans) : comments).enumerated().map { ($0 + 1, $1) }
    }

    /// The line without the text between backticks.
    static func withoutSpans(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? $0.element : "" }.joined(separator: "`")
    }

    private static func split(_ text: String) -> [String] {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The files of the repository, sorted by path.
struct SourceTree {
    let files: [SourceFile]

    init(_ files: [SourceFile]) { self.files = files.sorted { $0.path < $1.path } }

    /// Products of builds and of the system.
    private static let skipped: Set = [".git", ".build", ".swiftpm", "__pycache__", ".DS_Store"]

    /// The repository that this file lies in.
    static func repository() throws -> SourceTree {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let paths = FileManager.default.enumerator(atPath: root.path) ?? .init()
        var files: [SourceFile] = []
        while let path = paths.nextObject() as? String {
            if skipped.contains(String(path.split(separator: "/").last ?? "")) {
                paths.skipDescendants()
            } else if let data = FileManager.default.contents(atPath: "\(root.path)/\(path)") {
                files.append(SourceFile(path, String(data: data, encoding: .utf8) ?? ""))
            }
        }
        return SourceTree(files)
    }
}

import Foundation

/// A file of the repository, taken apart once so that every rule can look at the part it means.
struct SourceFile {
    /// The path from the repository's root, with `/` between the directories.
    let path: String
    let text: String
    let byteCount: Int
    let isExecutable: Bool
    /// The lines as they are written.
    let lines: [String]
    /// The lines without comments and the insides of string literals; empty unless it is Swift.
    let code: [String]
    /// The lines with nothing but their comments; empty unless it is Swift or a script.
    let comments: [String]
    let tokens: [Token]
    /// The words among the tokens.
    let words: Set<String>
    let declarations: [Declaration]

    init(_ path: String, _ text: String, byteCount: Int? = nil, isExecutable: Bool = false) {
        self.path = path
        self.text = text
        self.byteCount = byteCount ?? text.utf8.count
        self.isExecutable = isExecutable
        lines = Self.split(text)
        guard path.hasSuffix(".swift") else {
            let isScript = text.hasPrefix("#!") || path.hasSuffix(".py")
            comments = isScript ? lines.map { String($0.drop { $0 != "#" }) } : []
            (code, tokens, words, declarations) = ([], [], [], [])
            return
        }
        let scanner = SourceScanner(text)
        code = Self.split(String(decoding: scanner.code, as: UTF8.self))
        comments = Self.split(String(decoding: scanner.comments, as: UTF8.self))
        tokens = Token.all(in: scanner.code)
        words = Set(tokens.lazy.filter(\.isWord).map(\.text))
        declarations = DeclarationParser.declarations(in: tokens)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The last part of the path.
    var name: String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    /// What follows the last dot of the name; empty if there is none but a leading one.
    var fileExtension: String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }

    /// Whether the file is one of `places`: a file's path, or a directory's with a slash at its end.
    func isIn(_ places: [String]) -> Bool {
        places.contains { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 }
    }

    func finding(_ line: Int, _ advice: String) -> Finding {
        Finding(path: path, line: line, advice: advice)
    }

    /// The lines of `text`; a line feed at the very end begins no line of its own.
    private static func split(_ text: String) -> [String] {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

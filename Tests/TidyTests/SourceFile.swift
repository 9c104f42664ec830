import Foundation

/// A file of the repository, as the rules see it.
struct SourceFile {
    /// Relative to the repository's root.
    let path: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The text without comments and the content of string literals; lines stay where they are.
    var code: String { Self.code(in: text) }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isMarkdown: Bool { path.hasSuffix(".md") }

    /// The module that the file belongs to: the folder below Sources, Tests or Examples.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// The folder of the library that the file is in; empty for those that wire the stages.
    var stage: String {
        let parts = path.split(separator: "/")
        guard parts.count > 3, parts[0] == "Sources", parts[1] == "Skyros" else { return "" }
        return String(parts[2])
    }

    static func code(in text: String) -> String {
        var code = ""
        var rest = Substring(text)
        while let character = rest.first {
            if rest.hasPrefix("//") {
                rest = rest.drop { $0 != "\n" }
            } else if rest.hasPrefix("\"\"\"") {
                rest = rest.dropFirst(3)
                while !rest.isEmpty, !rest.hasPrefix("\"\"\"") {
                    if rest.removeFirst() == "\n" { code.append("\n") }
                }
                rest = rest.dropFirst(3)
                code += "\"\""
            } else if character == "\"" {
                rest = rest.dropFirst()
                while let next = rest.first, next != "\"", next != "\n" {
                    rest = rest.dropFirst(next == "\\" ? 2 : 1)
                }
                rest = rest.dropFirst()
                code += "\"\""
            } else {
                code.append(character)
                rest = rest.dropFirst()
            }
        }
        return code
    }
}

/// Something that breaks a rule, and what to do instead.
struct Finding: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// The repository's own files.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All files that git tracks, or would.
    static func files() throws -> [SourceFile] {
        let folders = ["Sources", "Tests", "Examples", "docs", "scripts", ".ci"]
        var paths = ["Package.swift", "README.md", ".swift-format", ".gitignore"]
        for folder in folders {
            let below = try FileManager.default.subpathsOfDirectory(
                atPath: root.appending(path: folder).path)
            paths += below.map { "\(folder)/\($0)" }.filter { !$0.contains("__pycache__") }
        }
        return try paths.sorted().compactMap { path in
            let url = root.appending(path: path)
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            guard exists, !isFolder.boolValue else { return nil }
            guard let text = String(data: try Data(contentsOf: url), encoding: .utf8) else {
                return SourceFile(path: path, text: "\0")
            }
            return SourceFile(path: path, text: text)
        }
    }
}

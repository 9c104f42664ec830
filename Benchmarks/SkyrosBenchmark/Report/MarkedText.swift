import Foundation

/// Parts of a Markdown file that a program writes, each between `<!-- NAME -->` and
/// `<!-- /NAME -->`.
enum MarkedText {
    /// Replaces parts of a file, or makes a file of them.
    ///
    /// - Throws: `BenchmarkError` if the file is there but has no such part.
    static func write(_ parts: [(name: String, text: String)], to file: URL) throws {
        guard var whole = try? String(contentsOf: file, encoding: .utf8) else {
            let all = parts.map { "<!-- \($0.name) -->\n\($0.text)\n<!-- /\($0.name) -->\n" }
            return try Data(all.joined(separator: "\n").utf8).write(to: file)
        }
        for (name, text) in parts {
            guard let first = whole.range(of: "<!-- \(name) -->")?.upperBound,
                let last = whole.range(of: "<!-- /\(name) -->", range: first..<whole.endIndex)
            else { throw BenchmarkError("\(file.path) has no part <!-- \(name) -->") }
            whole.replaceSubrange(first..<last.lowerBound, with: "\n\(text)\n")
        }
        try Data(whole.utf8).write(to: file)
    }
}

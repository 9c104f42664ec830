import Foundation

/// A page has one title, and its links lead somewhere.
enum Markdown {
    static let rules = [
        Rule("A page has one title", file: titles),
        Rule("Links lead somewhere", tree: brokenLinks),
        Rule("Links by name have a target", file: unknownNames),
    ]

    static func titles(in file: SourceFile) -> [Finding] {
        guard file.fileExtension == "md" else { return [] }
        let titles = prose(of: file).filter { $0.text.hasPrefix("# ") }
        if titles.isEmpty { return [file.finding(1, "begin the page with a title: # …")] }
        return titles.dropFirst().map {
            file.finding($0.line, "a second title: make it a section with ##")
        }
    }

    static func brokenLinks(in tree: SourceTree) -> [Finding] {
        var places: Set<String> = []
        for file in tree.files {
            var parts = file.path.split(separator: "/")
            while !parts.isEmpty {
                places.insert(parts.joined(separator: "/"))
                parts.removeLast()
            }
        }
        return tree.files.filter { $0.fileExtension == "md" }.flatMap { file in
            prose(of: file).flatMap { line, text in
                links(in: text)
                    .filter { link in
                        target(of: link, from: file.path).map { !places.contains($0) } ?? true
                    }
                    .map { file.finding(line, "no file at \($0): mend the link") }
            }
        }
    }

    /// Links by name, as in `[text][name]` or `[name][]`, to a name that has no `[name]: target`.
    static func unknownNames(in file: SourceFile) -> [Finding] {
        guard file.fileExtension == "md" else { return [] }
        let lines = prose(of: file)
        let known = Set(lines.compactMap { definition(in: $0.text)?.name.lowercased() })
        return lines.flatMap { line, text in
            withoutSpans(text).matches(of: #/\[([^\[\]]+)\]\[([^\[\]]*)\]/#)
                .map { String($0.2.isEmpty ? $0.1 : $0.2) }
                .filter { !known.contains($0.lowercased()) }
                .map { file.finding(line, "no line says what [\($0)] leads to: [\($0)]: target") }
        }
    }

    /// The lines outside of code blocks, with their numbers.
    private static func prose(of file: SourceFile) -> [(line: Int, text: String)] {
        var fence: Substring?
        var prose: [(Int, String)] = []
        for (index, line) in file.lines.enumerated() {
            let start = line.drop { $0 == " " }.prefix(3)
            if ["```", "~~~"].contains(start), fence == nil || fence == start {
                fence = fence == nil ? start : nil
            } else if fence == nil && !line.hasPrefix("    ") {
                prose.append((index + 1, line))
            }
        }
        return prose
    }

    /// The line without what stands between backticks.
    static func withoutSpans(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? $0.element : "" }.joined(separator: "`")
    }

    /// A line that says what a name leads to: `[name]: target`.
    private static func definition(in line: String) -> (name: Substring, target: String)? {
        line.firstMatch(of: #/^ {0,3}\[([^\[\]]+)\]:\s*(\S+)/#).map { ($0.1, String($0.2)) }
    }

    /// The relative targets of links, without the part after `#`; code spans are skipped.
    private static func links(in line: String) -> [String] {
        let inline = withoutSpans(line).components(separatedBy: "](").dropFirst()
            .map { String($0.prefix { $0 != ")" && $0 != " " }) }
        return (inline + [definition(in: line)?.target].compactMap(\.self)).compactMap { link in
            let path = String(link.prefix { $0 != "#" })
            let isElsewhere = link.contains("://") || link.hasPrefix("mailto:")
            return path.isEmpty || isElsewhere ? nil : path
        }
    }

    /// The path from the root that a link leads to; nil if it leads out of the repository.
    private static func target(of link: String, from path: String) -> String? {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in (link.removingPercentEncoding ?? link).split(separator: "/") {
            switch part {
            case ".": continue
            case "..": if parts.popLast() == nil { return nil }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}

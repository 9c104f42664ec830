import Foundation

/// A page has one title, and its links lead somewhere.
enum Markdown {
    static let rules = [
        Rule("A page has one title", file: titles),
        Rule("Links lead somewhere", tree: brokenLinks),
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
                links(in: text).filter { !places.contains(target(of: $0, from: file.path)) }
                    .map { file.finding(line, "no file at \($0): mend the link") }
            }
        }
    }

    /// The lines outside of code blocks, with their numbers.
    private static func prose(of file: SourceFile) -> [(line: Int, text: String)] {
        var isCode = false
        var prose: [(Int, String)] = []
        for (index, line) in file.lines.enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
            if !isCode && !line.hasPrefix("    ") { prose.append((index + 1, line)) }
        }
        return prose
    }

    /// The relative targets of links, without the part after `#`; code spans are skipped.
    private static func links(in line: String) -> [String] {
        let text = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? $0.element : "" }.joined(separator: "`")
        return text.components(separatedBy: "](").dropFirst().compactMap { rest in
            let link = rest.prefix { $0 != ")" && $0 != " " }
            let path = String(link.prefix { $0 != "#" })
            let isElsewhere = link.contains("://") || link.hasPrefix("mailto:")
            return path.isEmpty || isElsewhere ? nil : path
        }
    }

    private static func target(of link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in (link.removingPercentEncoding ?? link).split(separator: "/") {
            switch part {
            case ".": continue
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}

import Foundation

/// The links of a page lead to files of the repository.
enum Links {
    static let rule = Rule("Links lead somewhere", tree: findings)

    static func findings(in tree: SourceTree) -> [Finding] {
        var places: Set<String> = []
        for file in tree.files {
            var parts = file.path.split(separator: "/")
            while !parts.isEmpty {
                places.insert(parts.joined(separator: "/"))
                parts.removeLast()
            }
        }
        return tree.files.filter(\.isPage).flatMap { file in
            prose(of: file).flatMap { line, text in
                links(in: text)
                    .filter { link in
                        target(of: link, from: file.path).map { !places.contains($0) } ?? true
                    }
                    .map { file.finding(line, "no file at \($0): mend the link") }
            }
        }
    }

    /// The lines outside of code blocks, with their numbers.
    private static func prose(of file: SourceFile) -> [(line: Int, text: String)] {
        var fence: Substring?
        return file.lines.enumerated().compactMap { index, line in
            let start = line.drop { $0 == " " }.prefix(3)
            if ["```", "~~~"].contains(start), fence == nil || fence == start {
                fence = fence == nil ? start : nil
                return nil
            }
            return fence == nil && !line.hasPrefix("    ") ? (index + 1, line) : nil
        }
    }

    /// The relative targets of links, `[text](target)` and `[name]: target`, without a part after
    /// `#`.
    private static func links(in line: String) -> [String] {
        let inline = SourceFile.withoutSpans(line).components(separatedBy: "](").dropFirst()
            .map { String($0.prefix { $0 != ")" && $0 != " " }) }
        let named = line.firstMatch(of: #/^ {0,3}\[[^\[\]]+\]:\s*(\S+)/#).map { String($0.1) }
        return (inline + [named].compactMap(\.self)).compactMap { link in
            let path = String(link.prefix { $0 != "#" })
            let isElsewhere = link.contains("://") || link.hasPrefix("mailto:")
            return path.isEmpty || isElsewhere ? nil : path
        }
    }

    /// The path from the root that a link leads to; nil if it leads out of the repository.
    private static func target(of link: String, from path: String) -> String? {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in (link.removingPercentEncoding ?? link).split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(String(part))
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }
}

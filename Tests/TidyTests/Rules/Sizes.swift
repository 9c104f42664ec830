/// Files, functions and lines are short.
enum Sizes {
    static let rules = [
        Rule("Files are short", file: longFiles), Rule("Functions are short", file: longFunctions),
        Rule("Lines are short", file: longLines),
    ]

    private static let fileLinesMax = 400
    private static let functionLinesMax = 70
    private static let lineCharactersMax = 100

    static func longFiles(in file: SourceFile) -> [Finding] {
        let linesMax = file.path == "README.md" ? 150 : file.isSwift ? fileLinesMax : .max
        guard file.lines.count > linesMax else { return [] }
        return [file.finding(linesMax + 1, "\(file.lines.count) lines: move a topic elsewhere")]
    }

    static func longFunctions(in file: SourceFile) -> [Finding] {
        file.declarations.compactMap { declaration in
            let length = declaration.lastLine - declaration.line + 1
            let keywords = Declaration.functionKeywords.union(["var"])
            guard declaration.hasBody, length > functionLinesMax,
                keywords.contains(declaration.keyword)
            else { return nil }
            return file.finding(
                declaration.line, "\(declaration.name) has \(length) lines: name its parts")
        }
    }

    /// Of code and scripts; a line with a link may be as long as the link.
    static func longLines(in file: SourceFile) -> [Finding] {
        let isScript = file.isIn(["scripts/", ".ci/"]) || file.path.hasSuffix(".py")
        guard file.isSwift || isScript else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard line.utf8.count > lineCharactersMax, line.count > lineCharactersMax,
                !line.contains("://")
            else { return nil }
            return file.finding(index + 1, "\(line.count) characters: break the line")
        }
    }
}

/// A file, a function and a line can each be taken in at a glance.
enum Sizes {
    static let rules = [
        Rule("Files are short", file: longFiles),
        Rule("Functions are short", file: longFunctions),
        Rule("Lines are short", file: longLines),
        Rule("Files are small", file: largeFiles),
    ]

    static let fileLinesMax = 400
    static let entranceLinesMax = 150
    static let functionLinesMax = 70
    static let lineCharactersMax = 100
    static let fileBytesMax = 256 * 1024

    static func longFiles(in file: SourceFile) -> [Finding] {
        if file.path == "README.md", file.lines.count > entranceLinesMax {
            return [file.finding(entranceLinesMax + 1, "an entrance is short: lead to docs/")]
        }
        guard file.isSwift, file.lines.count > fileLinesMax else { return [] }
        return [
            file.finding(
                fileLinesMax + 1,
                "\(file.lines.count) lines: give a topic of the type a file of its own")
        ]
    }

    static func longFunctions(in file: SourceFile) -> [Finding] {
        file.declarations.compactMap { declaration in
            let length = declaration.lastLine - declaration.line + 1
            guard declaration.hasBody, length > functionLinesMax,
                declaration.keyword == "var"
                    || Declaration.functionKeywords.contains(declaration.keyword)
            else { return nil }
            return file.finding(
                declaration.line, "\(declaration.name) has \(length) lines: name its parts")
        }
    }

    /// Code and scripts; a line with a link may be as long as the link.
    static func longLines(in file: SourceFile) -> [Finding] {
        let isScript = file.isIn(["scripts/", ".ci/"]) || file.fileExtension == "py"
        guard file.isSwift || isScript else { return [] }
        return file.lines.enumerated().compactMap { index, line in
            guard line.utf8.count > lineCharactersMax, line.count > lineCharactersMax,
                !line.contains("://")
            else { return nil }
            return file.finding(index + 1, "\(line.count) characters: break the line")
        }
    }

    static func largeFiles(in file: SourceFile) -> [Finding] {
        guard file.byteCount > fileBytesMax else { return [] }
        return [
            file.finding(1, "\(file.byteCount) bytes: make it from a seed, or store less of it")
        ]
    }
}

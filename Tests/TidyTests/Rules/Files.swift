/// The repository holds what is meant to be in it, in a form that every tool reads.
enum Files {
    static let rules = [
        Rule("Indentation is spaces, lines end in a line feed", file: controlCharacters),
        Rule("Lines end where their text ends", file: blankEnds),
        Rule("Files are of a known kind", file: unknownKinds),
        Rule("Scripts can be run", file: lameScripts),
    ]

    private static let extensions: Set = [
        "swift", "md", "c", "h", "modulemap", "py", "sh", "json", "jsonl", "csv", "sql", "txt",
        "svg", "zst", "fi", "png",
    ]
    private static let plainNames: Set = [".gitignore", ".swift-format", "LICENSE"]
    private static let scriptDirectories = ["scripts/", ".ci/"]

    static func controlCharacters(in file: SourceFile) -> [Finding] {
        guard ["swift", "h", "modulemap", "py", "sh", "md"].contains(file.fileExtension) else {
            return []
        }
        return file.lines.enumerated().compactMap { index, line in
            guard
                line.utf8.contains(where: { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") })
            else { return nil }
            return file.finding(
                index + 1, "a tab or carriage return: indent with spaces, end with \\n")
        }
    }

    static func blankEnds(in file: SourceFile) -> [Finding] {
        guard ["md", "py", "sh", "h", "modulemap", ""].contains(file.fileExtension) else {
            return []
        }
        let blanks = file.lines.indices.filter { file.lines[$0].last == " " }.map {
            file.finding($0 + 1, "spaces at the end of the line")
        }
        let isEnded = file.text.isEmpty || file.text.hasSuffix("\n")
        return blanks + (isEnded ? [] : [file.finding(file.lines.count, "end with a line feed")])
    }

    static func unknownKinds(in file: SourceFile) -> [Finding] {
        if file.isIn(scriptDirectories) && file.fileExtension.isEmpty { return [] }
        if extensions.contains(file.fileExtension) || plainNames.contains(file.name) { return [] }
        return [
            file.finding(1, "a file of an unknown kind: leave it out, or add its kind to Files")
        ]
    }

    static func lameScripts(in file: SourceFile) -> [Finding] {
        guard file.isIn(scriptDirectories), file.fileExtension.isEmpty else { return [] }
        if !file.isExecutable { return [file.finding(1, "not executable: chmod +x")] }
        if !file.text.hasPrefix("#!/") {
            return [file.finding(1, "name the interpreter: #!/bin/sh")]
        }
        return []
    }
}

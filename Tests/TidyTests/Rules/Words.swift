import Foundation

/// Field terms in place of names and phrases of the past. The changelog may quote them.
enum Words {
    static let rule = Rule("Words are those of the field", file: findings)

    private static let ownFile = "Tests/TidyTests/Rules/Words.swift"
    private static let kinds = [".swift", ".md", ".py", ".c", ".h", ".sh", ".txt"]

    /// Types that have better names now.
    private static let names = """
        StoreHousekeeper WriterTurn BlockRunner PreparedRow Surroundings TouchedRows RowMap KeyTree
        RowMapTree KeyTreeRoot KeyTreeItems KeyTreeSequence KeySorter NodeMemory Relay ReaderGate
        SyncRound RunningCheck SegmentRemains LogSurvey SurveyLook SurveyOrder LogStretch BlockWalk
        LogCopy SegmentFolder ProcessMark FieldProbe ProbeDecoder ProbeRecording EventReading
        HistoryReading SegmentRewriting StoreParts CheckpointCatalog RowTally Approximation
        PlainText EncodingPlace
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Phrases, as a regular expression in any case.
    private static let phrases = #"""
        \bwhoever\b|\bcomes? into being\b|\bcame into being\b|\bbears? the name\b|\b(?:bears|bore)\b
        |\bof its own\b|\bso many\b|\bnobody (?:waits|else|left|is left)\b|\bcopy of the process\b
        |\blets? go of\b|\bgoes on\b|\bstands? so\b|\bat its place\b|\bis told\b|\bare told\b
        |\bat once\b|\bmade room\b|\bby so\b
        |^\W*Who (?:is|was|were|waits|writes|reads|removes|looks|comes|stands)\b
        """#.split(separator: "\n").joined()

    static func findings(in file: SourceFile) -> [Finding] {
        let isScript = file.text.hasPrefix("#!")
        guard isScript || kinds.contains(where: file.path.hasSuffix),
            !file.isIn([ownFile, "docs/CHANGELOG.md"])
        else { return [] }
        let pattern = "(?i:\(phrases))|\\b(?:\(names.joined(separator: "|")))\\b"
        guard let regex = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        else { return [file.finding(1, "the pattern of phrases is no regular expression")] }
        let whole = NSRange(file.text.startIndex..., in: file.text)
        return regex.matches(in: file.text, range: whole).compactMap { match in
            guard let range = Range(match.range, in: file.text) else { return nil }
            let line = file.text[..<range.lowerBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
            return file.finding(line, "“\(file.text[range])”: use the term of the field")
        }
    }
}

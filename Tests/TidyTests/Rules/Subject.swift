/// The repository speaks of the project alone, not of the tools on its author's desk.
enum Subject {
    static let rules = [
        Rule("The project speaks of the project", file: findings),
        Rule("Texts explain themselves", file: tickets),
    ]

    /// Words that do not belong here, written backwards so that this file passes its own rule.
    static let words: Set<String> = Set(
        [
            "edualc", "ciporhtna", "ianepo", "tpgtahc", "tpg", "tolipoc", "xedoc", "inimeg", "mll",
            "smll", "kees" + "peed", "lartsim",
        ].map { String($0.reversed()) })

    /// What is such a word in capitals only.
    static let acronym = String("IA".reversed())

    static func findings(in file: SourceFile) -> [Finding] {
        let lines = [file.path] + file.lines
        return lines.enumerated().compactMap { index, line in
            let word = self.words(of: line).first {
                words.contains($0.lowercased()) || $0 == acronym
            }
            return word.map { file.finding(max(index, 1), "\($0): speak of the project alone") }
        }
    }

    /// Numbers of issues, in comments and on pages: who reads them here cannot look them up.
    static func tickets(in file: SourceFile) -> [Finding] {
        file.sentences.filter { $0.text.contains(where: \.isNumber) }.compactMap { line, text in
            text.firstMatch(of: #/(?:^|[\s(])(#\d+|(?i:issue|ticket|pull request) #?\d+)\b/#).map {
                file.finding(line, "\($0.1): say here what it says there")
            }
        }
    }

    private static func words(of line: String) -> [String] {
        line.utf8.split { !Token.isWordByte($0) || $0 == UInt8(ascii: "_") }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

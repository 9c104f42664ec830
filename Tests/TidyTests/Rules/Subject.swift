/// The repository speaks of the project alone, not of the tools on its author's desk.
enum Subject {
    static let rule = Rule("The project speaks of the project", file: findings)

    /// Words that do not belong here, written backwards so that this file passes its own rule.
    static let words: Set<String> = Set(
        [
            "edualc", "ciporhtna", "ianepo", "tpgtahc", "tpg", "tolipoc", "xedoc", "inimeg", "mll",
            "smll", "kees" + "peed", "lartsim",
        ].map { String($0.reversed()) })

    static func findings(in file: SourceFile) -> [Finding] {
        let lines = [file.path] + file.lines
        return lines.enumerated().compactMap { index, line in
            guard let word = self.words(of: line).first(where: words.contains) else { return nil }
            return file.finding(max(index, 1), "\(word): speak of the project alone")
        }
    }

    private static func words(of line: String) -> [String] {
        line.utf8.split { !Token.isWordByte($0) || $0 == UInt8(ascii: "_") }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
}

/// Comments and pages leave nothing to do, and speak of the project only.
enum Comments {
    static let rules = [
        Rule("Nothing is left to do", file: reminders),
        Rule("The project speaks of the project", file: outsiders),
    ]

    static func reminders(in file: SourceFile) -> [Finding] {
        file.sentences.compactMap { line, text in
            guard text.contains(#/\b(TODO|FIXME|XXX|HACK|swift-format-ignore)\b/#) else {
                return nil
            }
            return file.finding(line, "do it, or leave the thought out")
        }
    }

    /// Words that do not belong here, written backwards so that this file passes its own rule.
    static let words: Set<String> = Set(
        [
            "edualc", "ciporhtna", "ianepo", "tpgtahc", "tpg", "tolipoc", "xedoc", "inimeg", "mll",
            "smll", "kees" + "peed", "lartsim",
        ].map { String($0.reversed()) })

    static func outsiders(in file: SourceFile) -> [Finding] {
        ([file.path] + file.lines).enumerated().compactMap { index, line in
            let words = line.utf8.split { !Token.isWordByte($0) || $0 == UInt8(ascii: "_") }
            let word = words.map { String(decoding: $0, as: UTF8.self).lowercased() }
                .first(where: self.words.contains)
            return word.map { file.finding(max(index, 1), "\($0): speak of the project only") }
        }
    }
}

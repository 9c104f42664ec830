/// Comments explain what is there.
enum Comments {
    static let rules = [
        Rule("Nothing is left to do", file: reminders),
        Rule("Code is not commented out", file: deadCode),
        Rule("Sentences are plain", file: praise),
        Rule("The formatter is not silenced", file: silencers),
    ]

    private static let reminderWords = ["TODO", "FIXME", "XXX", "HACK"]

    static func reminders(in file: SourceFile) -> [Finding] {
        file.sentences.compactMap { line, text in
            let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            guard let word = words.first(where: { reminderWords.contains(String($0)) }) else {
                return nil
            }
            return file.finding(line, "\(word): do it, or leave the thought out")
        }
    }

    private static let praises: Set = [
        "amazing", "awesome", "blazing", "blazingly", "effortless", "effortlessly", "elegant",
        "obviously", "powerful", "seamless", "seamlessly", "simply",
    ]

    static func praise(in file: SourceFile) -> [Finding] {
        file.sentences.compactMap { line, text in
            let words = text.split { !$0.isLetter }.map { $0.lowercased() }
            guard let word = words.first(where: praises.contains) else { return nil }
            return file.finding(line, "\(word): say what is so, not how good it is")
        }
    }

    static func silencers(in file: SourceFile) -> [Finding] {
        file.commentLines.filter { $0.text.contains("swift-format-ignore") }.map {
            file.finding($0.line, "write it so that the formatter agrees")
        }
    }

    static func deadCode(in file: SourceFile) -> [Finding] {
        file.commentLines.compactMap { line, text in
            guard text.hasPrefix("//"), !text.hasPrefix("///"), isCode(text.dropFirst(2)) else {
                return nil
            }
            return file.finding(line, "code in a comment: delete it, the history remembers")
        }
    }

    /// Whether a comment's line looks like a statement rather than a sentence.
    private static func isCode(_ comment: Substring) -> Bool {
        let text = comment.drop { $0 == " " }
        let tokens = Token.all(in: String(text))
        let words = tokens.map(\.text)
        guard let first = words.first, let last = words.last else { return false }
        if ["}", "{"].contains(first) || last == ";" { return true }
        if last == "{" && words.count > 1 { return true }
        var rest = words.drop { Declaration.modifierWords.contains($0) }
        guard let keyword = rest.popFirst(), let next = rest.dropFirst().first else { return false }
        switch keyword {
        case "let", "var": return [":", "="].contains(next)
        case "func": return ["(", "<"].contains(next)
        case "try", "return", "await": return last == ")"
        default:
            // A call alone, as in `log.append(batch)`: no space before the parenthesis.
            let isWord = tokens[0].isWord && !text.prefix { $0 != "(" }.contains(" ")
            return isWord && last == ")" && text.contains("(") && !text.contains("://")
        }
    }
}

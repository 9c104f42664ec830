extension SourceFile {
    /// The comment that ends directly above `line`, as one text; empty if there is none.
    func comment(above line: Int) -> String {
        var parts: [String] = []
        var index = line - 2
        while index >= 0, code[index].allSatisfy(\.isWhitespace),
            !comments[index].allSatisfy(\.isWhitespace)
        {
            parts.insert(comments[index], at: 0)
            index -= 1
        }
        return parts.joined(separator: "\n")
    }

    /// What is written to be read: comments and, of a page, all but the code between backticks.
    var sentences: [(line: Int, text: Substring)] {
        fileExtension == "md"
            ? lines.enumerated().map { ($0 + 1, Markdown.withoutSpans($1)[...]) } : commentLines
    }

    /// The comment lines without their indentation, with their numbers.
    var commentLines: [(line: Int, text: Substring)] {
        comments.enumerated().compactMap { index, comment in
            let text = comment.drop { $0 == " " }
            return text.isEmpty ? nil : (index + 1, text)
        }
    }
}

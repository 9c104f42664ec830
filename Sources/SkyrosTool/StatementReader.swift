/// Takes the statements from the lines of a SQL text: each ends with a semicolon that is in no
/// quotes and no comment. Comments before a statement, and statements of nothing, are left out.
///
///     var reader = StatementReader()
///     reader.add("SELECT 1; SELECT")      // ["SELECT 1;"]
///     reader.add("  2;")                  // ["SELECT\n  2;"]
struct StatementReader {
    private enum Place {
        case statement
        /// Until this character.
        case quoted(Unicode.Scalar)
        case comment
        case lineComment
    }

    private var place = Place.statement
    private var statement = ""

    /// What was read of a statement that has not ended; empty between statements.
    var rest: String { statement }

    /// Whether the next line is in no statement and in no comment.
    var isBetween: Bool {
        switch place {
        case .statement, .lineComment: statement.isEmpty
        case .quoted, .comment: false
        }
    }

    /// Adds a line; returns the statements that end in it. O(length of the line).
    mutating func add(_ line: String) -> [String] {
        var statements: [String] = []
        if case .lineComment = place { place = .statement }
        if !statement.isEmpty { statement.append("\n") }
        // Unicode scalars, because a quote and a combining mark are a single Character.
        var characters = line.unicodeScalars.makeIterator()
        var next = characters.next()
        while let character = next {
            next = characters.next()
            switch place {
            case .lineComment: append(character, isComment: true)
            case .comment:
                append(character, isComment: true)
                if character == "*", next == "/" {
                    append("/", isComment: true)
                    next = characters.next()
                    place = .statement
                }
            case .quoted(let end):
                append(character)
                if character == end { place = .statement }
            case .statement:
                if character == "-", next == "-" { place = .lineComment }
                if character == "/", next == "*" {
                    place = .comment
                    append("/", isComment: true)
                    append("*", isComment: true)
                    next = characters.next()
                    continue
                }
                if case .lineComment = place {
                    append(character, isComment: true)
                    continue
                }
                if let end = Self.ends[character] { place = .quoted(end) }
                if character == ";" {
                    if !statement.isEmpty { statements.append(statement + ";") }
                    statement = ""
                } else {
                    append(character)
                }
            }
        }
        return statements
    }

    /// What ends a quotation that begins with a character.
    private static let ends: [Unicode.Scalar: Unicode.Scalar] = [
        "'": "'", "\"": "\"", "`": "`", "[": "]",
    ]

    /// Adds to the statement, which begins with what is no space and no comment.
    private mutating func append(_ character: Unicode.Scalar, isComment: Bool = false) {
        if statement.isEmpty, isComment || character.properties.isWhitespace { return }
        statement.unicodeScalars.append(character)
    }
}

/// Finds declarations in tokens by following braces; it knows just enough Swift for the rules.
///
/// Constants and variables are found in types and at the top of a file only; functions and types
/// everywhere.
struct DeclarationParser {
    private let tokens: [Token]
    private var declarations: [Declaration] = []
    private var scopes: [Scope] = []
    /// The declaration whose body the next brace opens.
    private var pending: Int?
    /// Open parentheses and brackets since the innermost brace.
    private var depth = 0

    private struct Scope {
        let declaration: Int?
        let depth: Int
        /// The declaration whose body follows a closure among its parameters.
        let pending: Int?
    }

    static func declarations(in tokens: [Token]) -> [Declaration] {
        var parser = DeclarationParser(tokens: tokens)
        parser.parse()
        return parser.declarations
    }

    private init(tokens: [Token]) { self.tokens = tokens }

    private mutating func parse() {
        for index in tokens.indices {
            let token = tokens[index]
            forgetVariable(at: token)
            switch token.text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{": open()
            case "}": close(at: token.line)
            default:
                if Declaration.keywords.contains(token.text) && isDeclaration(index) {
                    begin(index)
                }
            }
        }
    }

    /// A variable with a value, or one whose line has ended, has no accessors to wait for.
    private mutating func forgetVariable(at token: Token) {
        guard let pending, declarations[pending].keyword == "var", depth == 0 else { return }
        if token.text == "=" || (token.isFirstOnLine && token.text != "{") { self.pending = nil }
    }

    private mutating func open() {
        let owner = depth == 0 ? pending : nil
        if let owner { declarations[owner].hasBody = true }
        scopes.append(Scope(declaration: owner, depth: depth, pending: depth > 0 ? pending : nil))
        pending = nil
        depth = 0
    }

    private mutating func close(at line: Int) {
        guard let scope = scopes.popLast() else { return }
        depth = scope.depth
        pending = scope.pending
        if let declaration = scope.declaration { declarations[declaration].lastLine = line }
    }

    /// The keyword of the declaration whose body is the innermost one; empty at the top of a file,
    /// nil in a function or a plain pair of braces.
    private var home: String? {
        guard let scope = scopes.last else { return "" }
        guard let index = scope.declaration else { return nil }
        let keyword = declarations[index].keyword
        return declarations[index].isType || keyword == "extension" ? keyword : nil
    }

    private func isDeclaration(_ index: Int) -> Bool {
        let previous = index > 0 ? tokens[index - 1].text : ""
        let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
        guard depth == 0, previous != ".", previous != "import" else { return false }
        switch tokens[index].text {
        case "case": return home == "enum"
        case "init", "subscript", "associatedtype": return home != nil && home != ""
        case "var", "let":
            return home != nil && !["if", "guard", "while", "case", ","].contains(previous)
        case "class":
            return !Declaration.keywords.union(Declaration.modifierWords).contains(next)
        case "actor": return home != nil && next.first?.isUppercase == true
        default: return true
        }
    }

    private mutating func begin(_ index: Int) {
        let keyword = tokens[index].text
        let (start, modifiers, attributes) = modifiers(before: index)
        let name = name(after: index)
        let parent = scopes.last { $0.declaration != nil }?.declaration
        declarations.append(
            Declaration(
                keyword: keyword, name: name, modifiers: modifiers,
                attributes: attributes,
                firstLine: tokens[start].line, line: tokens[index].line,
                lastLine: tokens[index].line, parent: parent))
        let hasBody = !["let", "case", "typealias", "associatedtype"].contains(keyword)
        pending = hasBody ? declarations.count - 1 : nil
    }

    /// The name, joined of its signs if it is an operator's.
    private func name(after index: Int) -> String {
        guard !["init", "subscript"].contains(tokens[index].text), index + 1 < tokens.count else {
            return tokens[index].text
        }
        if tokens[index + 1].isWord { return tokens[index + 1].text }
        return tokens[(index + 1)...].prefix { !$0.isWord && $0.text != "(" }.map(\.text).joined()
    }

    /// Walks back over modifiers and attributes, with their arguments.
    private func modifiers(
        before index: Int
    ) -> (start: Int, names: Set<String>, attributes: Set<String>) {
        var start = index
        var names: Set<String> = []
        var attributes: Set<String> = []
        while start > 0 {
            let previous = tokens[start - 1].text
            if isModifier(start - 1) {
                names.insert(previous)
                start -= 1
            } else if previous == ")", let open = openParenthesis(before: start - 1), open > 0,
                isAttribute(open - 1) || Declaration.modifierWords.contains(tokens[open - 1].text)
            {
                if isAttribute(open - 1) { attributes.insert(tokens[open - 1].text) }
                start = open - (isAttribute(open - 1) ? 2 : 1)
            } else if isAttribute(start - 1) {
                attributes.insert(previous)
                start -= 2
            } else {
                break
            }
        }
        return (start, names, attributes)
    }

    /// Whether the word modifies what follows: not so the `open` of `case open` or `= .open`.
    private func isModifier(_ index: Int) -> Bool {
        guard Declaration.modifierWords.contains(tokens[index].text) else { return false }
        let namers: Set = [".", ",", "=", "case", "func", "var", "let"]
        return index == 0 || !namers.contains(tokens[index - 1].text)
    }

    private func isAttribute(_ index: Int) -> Bool {
        index > 0 && tokens[index - 1].text == "@"
    }

    private func openParenthesis(before close: Int) -> Int? {
        var depth = 0
        for index in stride(from: close, through: 0, by: -1) {
            if tokens[index].text == ")" { depth += 1 }
            if tokens[index].text == "(" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }
}

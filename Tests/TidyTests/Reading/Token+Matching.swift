extension Array where Element == Token {
    /// Where the tokens of `code` stand in a row.
    func matches(of code: String) -> [Int] {
        let pattern = Token.all(in: code).map(\.text)
        guard let first = pattern.first, count >= pattern.count else { return [] }
        return (0...(count - pattern.count)).filter { start in
            self[start].text == first
                && pattern.indices.allSatisfy { self[start + $0].text == pattern[$0] }
        }
    }

    /// The tokens between the parenthesis at `open` and the one that closes it.
    func arguments(from open: Int) -> ArraySlice<Token> {
        var depth = 0
        for index in open..<count {
            if self[index].text == "(" { depth += 1 }
            if self[index].text == ")" { depth -= 1 }
            if depth == 0 { return self[open..<index].dropFirst() }
        }
        return self[open...].dropFirst()
    }
}

import Foundation

/// Parses the output of `strace -f -y -x -o FILE`.
///
/// strace prints a call in two parts if calls of other threads come between; the parser joins
/// them. It skips the lines about signals and exits.
struct TraceParser {
    /// The first part of a call that has not returned yet, by thread.
    private var unfinished: [Int: (text: String, line: Int)] = [:]
    private var calls: [TraceCall] = []
    private var lineCount = 0

    /// The calls of a trace, in the order in which they began.
    static func calls(in text: String) -> [TraceCall] {
        var parser = TraceParser()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            parser.read(line)
        }
        for (thread, start) in parser.unfinished {
            parser.add(start.text, thread, began: start.line, ended: nil)
        }
        return parser.calls.sorted { $0.began < $1.began }
    }

    private mutating func read(_ line: Substring) {
        lineCount += 1
        let thread = line.prefix { $0.isNumber }
        guard let number = Int(thread) else { return }
        let text = line[thread.endIndex...].drop { $0 == " " }
        if text.hasPrefix("<... ") {
            guard let start = unfinished.removeValue(forKey: number),
                let rest = text.firstRange(of: " resumed>")
            else { return }
            add(start.text + text[rest.upperBound...], number, began: start.line, ended: lineCount)
        } else if let cut = text.firstRange(of: "<unfinished ...>") {
            unfinished[number] = (String(text[..<cut.lowerBound]), lineCount)
        } else if !text.hasPrefix("+++"), !text.hasPrefix("---") {
            add(String(text), number, began: lineCount, ended: lineCount)
        }
    }

    private mutating func add(_ text: String, _ thread: Int, began: Int, ended: Int?) {
        guard let open = text.firstIndex(of: "(") else { return }
        let (arguments, rest) = Self.arguments(text[open...].dropFirst())
        let outcome = rest.split(separator: " ", omittingEmptySubsequences: true)
        // `= 5</store/lock>`, `= -1 EIO (Input/output error) (INJECTED)`, `= ?`
        let value = outcome.count > 1 && outcome[0] == "=" ? outcome[1] : ""
        let result = Int(value.prefix { $0 == "-" || $0.isNumber })
        calls.append(
            TraceCall(
                thread: thread, name: String(text[..<open]), arguments: arguments,
                result: result,
                error: result == -1 && outcome.count > 2 ? String(outcome[2]) : nil,
                isInjected: rest.contains("(INJECTED)"), began: began,
                ended: result == nil ? nil : ended))
    }

    /// The arguments up to the closing parenthesis, and the text after it.
    private static func arguments(_ text: Substring) -> ([String], Substring) {
        var arguments: [String] = []
        var start = text.startIndex
        var depth = 0
        var index = text.startIndex
        func argument() -> String {
            text[start..<index].trimmingCharacters(in: .whitespaces)
        }
        while index < text.endIndex {
            switch text[index] {
            case "\"": index = endOfText(text, from: index)
            case "(", "[", "{", "<": depth += 1
            case ")" where depth == 0:
                let last = argument()
                if !last.isEmpty || !arguments.isEmpty { arguments.append(last) }
                return (arguments, text[index...].dropFirst())
            case ")", "]", "}", ">": depth -= 1
            case "," where depth == 0:
                arguments.append(argument())
                start = text.index(after: index)
            default: break
            }
            index = text.index(after: index)
        }
        let last = argument()
        return (last.isEmpty ? arguments : arguments + [last], "")
    }

    /// The index of the closing quote of a string literal.
    private static func endOfText(_ text: Substring, from quote: Substring.Index) -> Substring.Index
    {
        var index = text.index(after: quote)
        while index < text.endIndex, text[index] != "\"" {
            if text[index] == "\\" { index = text.index(after: index) }
            if index < text.endIndex { index = text.index(after: index) }
        }
        return index < text.endIndex ? index : text.index(before: text.endIndex)
    }
}

import Foundation

/// Rules that look at one file.
enum LineRules {
    static let all: [@Sendable (SourceFile) -> [Finding]] = [
        length, width, functionLength, banned, reasons, unfinished, whitespace, title, names,
        secrets, size, documented,
    ]

    static let fileLinesMax = 400
    static let functionLinesMax = 70
    static let columnsMax = 100
    static let fileBytesMax = 256 << 10

    static func length(_ file: SourceFile) -> [Finding] {
        let count = file.lines.count
        guard file.isSwift, count > fileLinesMax + 1 else { return [] }
        let message = "\(count) lines; a file of more than \(fileLinesMax) has two subjects"
        return [Finding(path: file.path, line: count, message: message)]
    }

    static func width(_ file: SourceFile) -> [Finding] {
        guard file.isSwift else { return [] }
        return findings(file) { line in
            line.count > columnsMax && !line.contains("https://")
                ? "\(line.count) columns; break the line at \(columnsMax)" : nil
        }
    }

    /// Counts from the line that declares a function to the line of its closing brace.
    static func functionLength(_ file: SourceFile) -> [Finding] {
        guard file.isSwift else { return [] }
        var findings: [Finding] = []
        var open: [(line: Int, depth: Int)] = []
        var depth = 0
        for (index, line) in file.code.split(
            separator: "\n", omittingEmptySubsequences: false
        ).enumerated() {
            let isFunction = line.contains(#/\b(func |init[?]?[(<]|subscript[(<])/#)
            if isFunction, line.contains("{") || !line.contains("}") {
                open.append((index + 1, depth))
            }
            for character in line {
                if character == "{" { depth += 1 }
                if character == "}" {
                    depth -= 1
                    while let last = open.last, last.depth >= depth {
                        open.removeLast()
                        let count = index + 2 - last.line
                        guard last.depth == depth, count > functionLinesMax else { continue }
                        let message =
                            "a function of \(count) lines; split it below "
                            + "\(functionLinesMax)"
                        findings.append(Finding(path: file.path, line: last.line, message: message))
                    }
                }
            }
        }
        return findings
    }

    /// What may not be written, where, and what to write instead.
    private static let bans: [(word: String, but: [String], instead: String)] = [
        ("Date()", ["Examples/"], "time is an argument: take a WallClock"),
        ("Date.now", ["Examples/"], "time is an argument: take a WallClock"),
        (
            "UUID()", ["Examples/", "Sources/SkyrosBenchmark"],
            "chance is an argument: take an Entropy"
        ),
        ("SystemRandomNumberGenerator", ["SkyrosDisk/Surroundings"], "chance is an argument"),
        (".random(in", ["Examples/"], "chance is an argument: take an Entropy"),
        ("Hasher()", [], "its seed differs in every process: use XXH64"),
        ("fatalError", [], "throw an error, or state the invariant with precondition"),
        (
            "assert(", ["CBOR/CBORWriter", "Codable/ScratchStack"],
            "use precondition, which is there in release builds too"
        ),
        ("try!", [], "throw the error on"),
        ("print(", ["Examples/", "SkyrosTool", "SkyrosBenchmark"], "a library does not print"),
        ("DispatchSemaphore", ["Write/WriterTurn"], "wait with a Monitor"),
        ("Thread.sleep", ["Commands/LogCommand"], "wait for a change, not for time"),
        ("Task.sleep", [], "wait for a change, not for time"),
    ]

    static func banned(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Sources/") || file.path.hasPrefix("Examples/")
        else { return [] }
        let code = SourceFile(path: file.path, text: file.code)
        return bans.filter { ban in !ban.but.contains { file.path.contains($0) } }.flatMap { ban in
            findings(code) { line in
                isNamed(ban.word, in: line) ? "\(ban.word) is banned: \(ban.instead)" : nil
            }
        }
    }

    /// Whether the word stands in the line, and not as the end of a longer one.
    private static func isNamed(_ word: String, in line: Substring) -> Bool {
        line.ranges(of: word).contains { range in
            let before = line[..<range.lowerBound].last
            return before.map { !$0.isLetter && !$0.isNumber } ?? true
        }
    }

    /// What the compiler is told to believe needs a reason beside it.
    static func reasons(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        let words = ["@unchecked", "nonisolated(unsafe)", "unsafeBitCast", "unsafeDowncast"]
        let lines = file.lines
        let code = file.code.split(separator: "\n", omittingEmptySubsequences: false)
        return code.indices.compactMap { index in
            guard let word = words.first(where: { code[index].contains($0) }) else { return nil }
            let above = lines[..<index].reversed().prefix { line in
                let text = line.trimmingCharacters(in: .whitespaces)
                return text.hasPrefix("//") || text.hasPrefix("@")
            }
            let near = [lines[index]] + above
            let isReasoned = near.contains { $0.contains("//") }
            let subclass = code[index].contains(": Row, @unchecked")
            guard !isReasoned, !subclass else { return nil }
            return Finding(
                path: file.path, line: index + 1, message: "\(word) needs a reason beside it")
        }
    }

    static func unfinished(_ file: SourceFile) -> [Finding] {
        guard file.isSwift || file.isMarkdown, !file.path.hasPrefix("Tests/TidyTests") else {
            return []
        }
        return findings(file) { line in
            if line.contains(#/\b(TODO|FIXME|XXX|HACK)\b/#) { return "finish it, or leave it out" }
            let isCode = line.contains(#/^\s*// (let|var|func|return|if|for|guard) .*[{=(]\s*.*$/#)
            return file.isSwift && isCode && !line.contains("`") && line.hasSuffix("{")
                ? "code that does not run is deleted" : nil
        }
    }

    static func whitespace(_ file: SourceFile) -> [Finding] {
        guard !file.path.hasSuffix(".fi") else { return [] }
        return findings(file) { line in
            line.contains("\t") || line.contains("\r")
                ? "tabs and carriage returns are banned" : nil
        }
    }

    static func title(_ file: SourceFile) -> [Finding] {
        guard file.isMarkdown else { return [] }
        var isFenced = false
        let titles = file.lines.filter { line in
            if line.hasPrefix("```") { isFenced.toggle() }
            return !isFenced && line.hasPrefix("# ")
        }
        guard titles.count != 1 else { return [] }
        return [Finding(path: file.path, line: 1, message: "a page has exactly one title")]
    }

    private static let extensions = [
        "swift", "md", "py", "h", "modulemap", "fi", "svg", "png", "json",
    ]

    static func names(_ file: SourceFile) -> [Finding] {
        let name = file.path.split(separator: "/").last.map(String.init) ?? ""
        if file.path.hasPrefix("scripts/") || file.path.hasPrefix(".") { return [] }
        let parts = name.split(separator: ".")
        let isKnown = parts.count > 1 && extensions.contains(String(parts[parts.count - 1]))
        if !isKnown {
            return [Finding(path: file.path, line: 1, message: "an unknown kind of file")]
        }
        guard name.contains(#/(V2|V3|New|Old|_2)\.swift$/#) else { return [] }
        return [Finding(path: file.path, line: 1, message: "a name carries no version")]
    }

    /// How the project is made is nobody's business here. The words stand reversed.
    private static let words = ["edualc", "ciporhtna", "tpgtahc", "ianepo", "tolipoc"]
        .map { String($0.reversed()) }

    static func secrets(_ file: SourceFile) -> [Finding] {
        findings(file) { line in
            let text = line.lowercased()
            return words.contains { text.contains($0) } ? "the project speaks of itself alone" : nil
        }
    }

    static func size(_ file: SourceFile) -> [Finding] {
        guard file.text.utf8.count > fileBytesMax else { return [] }
        return [Finding(path: file.path, line: 1, message: "more than 256 KiB do not belong here")]
    }

    /// Witnesses of well-known protocols explain themselves.
    private static let witnesses = [
        "description", "hash(into", "init(from", "encode(to", "static func ==", "static func <",
        "rawValue", "readingSnapshot", "typealias Element", "makeAsyncIterator",
        "static var entityName", "static var indexes", "static var commandName",
        "init(nilLiteral", "init(booleanLiteral", "init(integerLiteral", "init(floatLiteral",
        "init(stringLiteral",
    ]

    static func documented(_ file: SourceFile) -> [Finding] {
        guard
            file.path.hasPrefix("Sources/Skyros/") || file.path.hasPrefix("Sources/SkyrosTesting/")
        else { return [] }
        let lines = file.lines
        return lines.indices.compactMap { index in
            let line = lines[index]
            guard
                line.contains(
                    #/^\s*public (\w+(\(set\))? )*(func|var|let|init|struct|enum|class)\b/#)
                    || line.contains(#/^\s*public (protocol|typealias)\b/#),
                !witnesses.contains(where: { line.contains($0) })
            else { return nil }
            let above = lines[..<index].last {
                !$0.trimmingCharacters(in: .whitespaces).hasPrefix("@")
            }
            let comment = above?.trimmingCharacters(in: .whitespaces) ?? ""
            guard !comment.hasPrefix("///") else { return nil }
            return Finding(
                path: file.path, line: index + 1, message: "a public declaration has a comment")
        }
    }

    private static func findings(
        _ file: SourceFile, _ check: (Substring) -> String?
    ) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            check(line).map { Finding(path: file.path, line: index + 1, message: $0) }
        }
    }
}

/// A name says what a thing is; the history says which version.
enum Names {
    static let rules = [
        Rule("Names have no version", file: findings),
        Rule("Names are words", file: abbreviations),
        Rule("Files are named for what they hold", file: misnamedFiles),
        Rule("Decisions are numbered", tree: misnumberedDecisions),
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        let stem = file.name.prefix { $0 != "." }
        for part in stem.split(separator: "+").map(String.init) where hasVersion(part) {
            findings.append(file.finding(1, advice(part)))
        }
        for declaration in file.declarations
        where declaration.isType && hasVersion(declaration.name) {
            findings.append(file.finding(declaration.line, advice(declaration.name)))
        }
        return findings
    }

    private static let abbreviations: Set = [
        "arr", "attr", "buf", "cfg", "cnt", "ctx", "curr", "dict", "dst", "elem", "err", "evt",
        "helper", "helpers", "idx", "impl", "mgr", "misc", "msg", "num", "prev", "ptr", "req",
        "resp", "ret", "src", "str", "tmp", "util", "utils", "val",
    ]

    /// Names that are declared anywhere, local ones included, taken apart at their capitals.
    static func abbreviations(in file: SourceFile) -> [Finding] {
        file.tokens.indices.dropFirst().compactMap { index in
            let name = file.tokens[index].text
            guard Declaration.keywords.contains(file.tokens[index - 1].text),
                let part = parts(of: name).first(where: abbreviations.contains)
            else { return nil }
            return file.finding(file.tokens[index].line, "\(name): write \(part) in full")
        }
    }

    private static func parts(of name: String) -> [String] {
        name.hasPrefix("`") ? [] : name.matches(of: #/[A-Z]?[a-z]+/#).map { $0.0.lowercased() }
    }

    /// Files with names of their own: each holds several types that go together.
    private static let freeNames = [
        "Sources/Skyros/StoreOpening+Checkpoint.swift",
        "Sources/SkyrosTesting/Simulation/ManualClock.swift",
    ]

    /// `Type.swift` declares the type, unless it has extensions only; `Type+Topic.swift` declares
    /// or extends it.
    static func misnamedFiles(in file: SourceFile) -> [Finding] {
        guard file.isIn(["Sources/"]), !file.isIn(freeNames), file.name != "main.swift" else {
            return []
        }
        let stem = String(file.name.prefix { $0 != "." && $0 != "+" })
        let top = file.declarations.filter { $0.parent == nil }
        let isPlain = !file.name.contains("+")
        if isPlain && !top.contains(where: \.isType) { return [] }
        if top.contains(where: { ($0.isType || !isPlain) && $0.name == stem }) { return [] }
        return [file.finding(1, "no \(stem) in here: name the file for what it holds")]
    }

    /// A decision's file begins with four digits that no other has, as in `0001-one-checksum.md`.
    static func misnumberedDecisions(in tree: SourceTree) -> [Finding] {
        var numbers: Set<Substring> = []
        return tree.files.filter { $0.isIn(["docs/decisions/"]) }.compactMap { file in
            guard let match = file.name.wholeMatch(of: #/(\d{4})(-[a-z0-9]+)+\.md/#) else {
                return file.finding(1, "name it as in 0001-what-was-decided.md")
            }
            return numbers.insert(match.1).inserted
                ? nil : file.finding(1, "\(match.1) is taken: give it the next number")
        }
    }

    private static func advice(_ name: String) -> String {
        "\(name) names a version: replace the older one, and name this for what it is"
    }

    private static func hasVersion(_ name: String) -> Bool {
        let digits = name.reversed().prefix { $0.isNumber }.count
        let stem = name.dropLast(digits)
        if digits > 0 { return stem.hasSuffix("V") || stem.hasSuffix("_") || stem.hasSuffix("_v") }
        return name.hasSuffix("New") || name.hasSuffix("Old")
    }
}

/// A place that breaks a rule, and what to do about it.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    let line: Int
    let advice: String

    var description: String { "\(path):\(line): \(advice)" }
}

/// A rule: a pure function over the repository's files.
struct Rule: Sendable {
    let name: String
    let findings: @Sendable (SourceTree) -> [Finding]

    init(_ name: String, tree findings: @escaping @Sendable (SourceTree) -> [Finding]) {
        self.name = name
        self.findings = findings
    }

    /// A rule about each file by itself.
    init(_ name: String, file findings: @escaping @Sendable (SourceFile) -> [Finding]) {
        self.init(name, tree: { $0.files.flatMap(findings) })
    }

    static let all =
        [
            Imports.rule, Conditions.rule, Borders.rule, Edges.rule, Reasons.rule, Manifest.rule,
            Documentation.rule, Promises.rule, Faults.rule, Parity.rule, Links.rule, Calls.rule,
            Words.rule, Tests.rule,
        ] + Sizes.rules + Comments.rules
}

/// Parts of the repository that several rules use.
enum Places {
    static let edges = ["Sources/SkyrosDisk/", "Sources/SkyrosLog/", "Sources/SkyrosSQLite/"]
    /// What the fuzzers share with tests: the target of the fuzzers has no module of the tests.
    static let fuzzed = ["Fuzzing/Targets/", "Tests/SkyrosTestingTests/CrashRuns/"]
    static let programs = ["Sources/SkyrosTool/", "Benchmarks/", "Examples/"]
}

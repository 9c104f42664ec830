/// Calls that have one place, or none.
enum Calls {
    static let rules = [
        Rule("Some calls have one place", file: findings),
        Rule("Exceptions for calls are needed", tree: idleExceptions),
    ]

    private struct Ban {
        /// The call's beginning, as it is written in code.
        let code: String
        /// Where the ban holds.
        var places = ["Sources/"]
        /// Where it does not.
        var exceptions: [String] = []
        let advice: String

        /// What a file must have to have the call, by which most files are soon done.
        var words: [String] { Token.all(in: code).filter(\.isWord).map(\.text) }
    }

    private static let timeAndChance = "time and chance are arguments: take them from Environment"
    private static let environment = ["Sources/SkyrosDisk/Environment.swift"]
    private static let waiting = "wait for the event itself, not for time to pass"
    /// Follows a log that another process writes, which announces nothing.
    private static let follower = ["Sources/SkyrosTool/Commands/LogCommand.swift"]
    private static let everywhere = ["Sources/", "Tests/", "Examples/", "Benchmarks/"]
    /// The encoder's innermost steps, whose bounds its own structure guarantees: a check in release
    /// builds would cost every byte.
    private static let innermost = [
        "Sources/Skyros/Coding/Codable/ScratchStack.swift",
        "Sources/Skyros/Coding/CBOR/CBORWriter.swift",
    ]

    /// A pool for threads that end, and the queue on which users are called back.
    private static let synchronised = ["Sources/Skyros/Store+Options.swift"]
    /// The steps of reads and writes that are specialised for entities of other modules.
    private static let inlined = [
        "Sources/Skyros/Coding/Records/RecordID+Coding.swift",
        "Sources/Skyros/Model/Records/StoredRow.swift",
        "Sources/Skyros/Model/Records/RecordCoding.swift",
        "Sources/Skyros/Model/Records/Row.swift",
        "Sources/Skyros/State/Fetch/RecordSource.swift",
        "Sources/Skyros/State/Fetch/RecordSource+Sorting.swift",
        "Sources/Skyros/State/Fetch/Table+Fetch.swift",
        "Sources/Skyros/Store+Reading.swift",
        "Sources/SkyrosDisk/Threads/Locked.swift",
        "Sources/SkyrosDisk/Threads/Monitor.swift",
        "Sources/SkyrosLog/Format/ByteAccess.swift",
    ]

    private static let bans =
        ["Date()", "UUID()", "Hasher()", "Date.now", "SystemRandomNumberGenerator"].map {
            Ban(code: $0, exceptions: environment, advice: timeAndChance)
        }
        + [".random(", ".randomElement(", ".shuffled(", ".shuffle("].map {
            Ban(
                code: $0, places: ["Sources/", "Tests/"], exceptions: environment,
                advice: "\(timeAndChance), or from a seed, with using:")
        }
        + ["Thread.sleep", "usleep(", "Task.sleep", "nanosleep("].map {
            Ban(code: $0, places: ["Sources/", "Tests/"], exceptions: follower, advice: waiting)
        }
        + [
            Ban(
                code: "print(", exceptions: Places.programs,
                advice: "a library is silent: throw, or report"),
            Ban(
                code: "fatalError(", places: everywhere,
                advice: "throw for the world; use precondition for our own invariants"),
            Ban(
                code: "assert(", exceptions: innermost,
                advice: "a check that release builds skip guards nothing: use precondition"),
            Ban(
                code: "assertionFailure(",
                advice: "a check that release builds skip guards nothing: use precondition"),
            Ban(
                code: "DispatchSemaphore", exceptions: ["Sources/Skyros/Write/WriterLock.swift"],
                advice: "threads wait in WriterLock or a Monitor only"),
        ]
        + [
            Ban(
                code: "Mutex", places: ["Sources/", "Tests/"],
                advice: "guard it with Locked, which the thread sanitizer sees")
        ]
        + ["NSLock", "NSRecursiveLock", "NSCondition", "DispatchQueue"].map {
            Ban(code: $0, exceptions: synchronised, advice: "guard it with Locked or a Monitor")
        }
        + ["@inlinable", "@usableFromInline"].map {
            Ban(
                code: $0, places: everywhere, exceptions: inlined,
                advice: "measure first, then list the file with those that it made faster")
        }
        + ["ContinuousClock", "SuspendingClock", ".disabled(", "withKnownIssue"].map {
            Ban(
                code: $0, places: ["Tests/"],
                advice: "a test holds always and on every machine: count, and mend what fails")
        }

    static func findings(in file: SourceFile) -> [Finding] {
        bans.filter { file.isIn($0.places) && !file.isIn($0.exceptions) }.flatMap { ban in
            calls(of: ban, in: file).map { file.finding($0, "\(ban.code) … \(ban.advice)") }
        }
    }

    /// Files that are excepted from bans although they have none of the calls.
    static func idleExceptions(in tree: SourceTree) -> [Finding] {
        let files = Set(bans.flatMap(\.exceptions)).filter { !$0.hasSuffix("/") }
        return files.sorted().filter { path in
            !tree.files.contains { file in
                file.path == path
                    && bans.contains { ban in
                        ban.exceptions.contains(path) && !calls(of: ban, in: file).isEmpty
                    }
            }
        }
        .map { Finding(path: $0, line: 1, advice: "has none of the calls: drop the exception") }
    }

    /// The lines with a call.
    private static func calls(of ban: Ban, in file: SourceFile) -> [Int] {
        guard file.words.isSuperset(of: ban.words) else { return [] }
        return file.tokens.matches(of: ban.code)
            .filter { isCall($0, in: file.tokens) && !isSeeded($0, in: file.tokens) }
            .map { file.tokens[$0].line }
    }

    /// A word after a dot is a member of something else, and one after `func` is declared here.
    private static func isCall(_ index: Int, in tokens: [Token]) -> Bool {
        guard index > 0, tokens[index].isWord else { return true }
        if tokens[index - 1].text == "." {
            return index > 1 && ["Swift", "Foundation"].contains(tokens[index - 2].text)
        }
        return tokens[index - 1].text != "func"
    }

    /// A random value from a generator that the caller gives is no chance: `.random(using: &seed)`,
    /// or `.random(&seed)` of a type of ours.
    private static func isSeeded(_ index: Int, in tokens: [Token]) -> Bool {
        guard index + 2 < tokens.count else { return false }
        let arguments = tokens.arguments(from: index + 2)
        return tokens[index].text == "."
            && (arguments.first?.text == "&" || arguments.contains { $0.text == "using" })
    }
}

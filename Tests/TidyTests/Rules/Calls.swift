/// Calls that have one place, or none.
enum Calls {
    static let rule = Rule("Some calls have one place", file: findings)

    private struct Ban {
        /// The call's beginning, as it is written in code.
        let code: String
        /// Where the ban holds.
        var places = ["Sources/"]
        /// Where it does not.
        var exceptions: [String] = []
        let advice: String
    }

    private static let timeAndChance = "time and chance are arguments: take them from Surroundings"
    private static let surroundings = ["Sources/SkyrosDisk/Surroundings.swift"]
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

    private static let bans =
        ["Date()", "UUID()", "Hasher()", "Date.now", "SystemRandomNumberGenerator", ".random("].map
    {
        Ban(code: $0, exceptions: surroundings, advice: timeAndChance)
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
                code: "DispatchSemaphore", exceptions: ["Sources/Skyros/Write/WriterTurn.swift"],
                advice: "threads wait in WriterTurn or a Monitor only"),
        ]

    static func findings(in file: SourceFile) -> [Finding] {
        bans.filter { file.isIn($0.places) && !file.isIn($0.exceptions) }.flatMap { ban in
            file.tokens.matches(of: ban.code)
                .filter { isCall($0, in: file.tokens) && !isSeeded($0, in: file) }
                .map { file.finding(file.tokens[$0].line, "\(ban.code) … \(ban.advice)") }
        }
    }

    /// A word after a dot is a member of something else, and one after `func` is declared here.
    private static func isCall(_ index: Int, in tokens: [Token]) -> Bool {
        guard index > 0, tokens[index].isWord else { return true }
        if tokens[index - 1].text == "." {
            return index > 1 && ["Swift", "Foundation"].contains(tokens[index - 2].text)
        }
        return tokens[index - 1].text != "func"
    }

    /// A random number from a generator that the caller gives is no chance.
    private static func isSeeded(_ index: Int, in file: SourceFile) -> Bool {
        file.tokens[index].text == "." && file.code[file.tokens[index].line - 1].contains("using:")
    }
}

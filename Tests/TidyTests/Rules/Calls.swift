/// Calls that have one place, or none.
enum Calls {
    static let rule = Rule("Some calls have one place", file: findings)

    private struct Ban {
        /// The beginnings of calls.
        let codes: [String]
        var places = ["Sources/"]
        var exceptions: [String] = []
        let advice: String
    }

    private static let bans = [
        Ban(
            codes: ["Date()", "UUID()", "Hasher()", "Date.now", "SystemRandomNumberGenerator"],
            exceptions: ["Sources/SkyrosDisk/Environment.swift"],
            advice: "time and randomness are arguments: take them from Environment"),
        Ban(
            codes: [".randomElement()", ".shuffled()", ".shuffle()"],
            places: ["Sources/", "Tests/"], advice: "give it a generator with a seed"),
        Ban(
            codes: ["Thread.sleep", "usleep(", "Task.sleep", "nanosleep("],
            places: ["Sources/", "Tests/"],
            // The first one follows a log that another process writes, which announces nothing; the
            // second one waits before it tries again; the others are beside real servers, for which
            // time passes.
            exceptions: [
                "Sources/SkyrosTool/Commands/LogCommand.swift",
                "Sources/Skyros/Subscriptions/RetryPolicy.swift", "Tests/ClusterNode/",
                "Tests/PostgresTests/DatabaseServer.swift",
            ],
            advice: "wait for the event itself, not for time to pass"),
        Ban(
            codes: ["ContinuousClock", "SuspendingClock", ".disabled(", "withKnownIssue"],
            places: ["Tests/"], exceptions: ["Tests/ClusterNode/"],
            advice: "a test always holds: count, and mend what fails"),
        Ban(
            codes: ["print("], exceptions: Places.programs,
            advice: "a library is silent: throw, or report"),
        Ban(
            codes: ["fatalError(", "assert(", "assertionFailure("],
            // Bounds that the encoder's structure guarantees, and a check costs every byte.
            exceptions: [
                "Sources/Skyros/Coding/Codable/ScratchStack.swift",
                "Sources/Skyros/Coding/CBOR/CBORWriter.swift",
            ],
            advice: "throw for the world; use precondition for our own invariants"),
        Ban(
            codes: ["Locked<@", "Locked<(@", "Monitor<@", "Monitor<(@"],
            advice: "each access would wrap the closure once more: put it into a Callback"),
        Ban(
            codes: ["Mutex", "NSLock", "NSRecursiveLock", "NSCondition"],
            advice: "guard it with Locked or a Monitor, which the thread sanitizer sees"),
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        bans.filter { file.isIn($0.places) && !file.isIn($0.exceptions) }.flatMap { ban in
            ban.codes.flatMap { code in
                file.tokens.matches(of: code).filter { isCall($0, in: file.tokens) }
                    .map { file.finding(file.tokens[$0].line, "\(code) … \(ban.advice)") }
            }
        }
    }

    /// A word after a dot is a member of something else, and one after `func` is declared here.
    private static func isCall(_ index: Int, in tokens: [Token]) -> Bool {
        index == 0 || !tokens[index].isWord || ![".", "func"].contains(tokens[index - 1].text)
    }
}

/// One command of the tool.
protocol Command: SendableMetatype {
    /// How it is called.
    static var name: String { get }
    /// What it does, in one line.
    static var summary: String { get }
    /// Its arguments, in one line.
    static var usage: String { get }
    /// The options, each explained, and examples.
    static var details: String { get }
    /// The names of options that take a value.
    static var options: Set<String> { get }
    /// The names of options that take none, besides `--json`.
    static var flags: Set<String> { get }

    /// - Throws: `UsageError` if the arguments make no sense.
    init(_ arguments: Arguments) throws

    /// - Returns: whether the answer is "yes", or all is well.
    func run() throws -> Bool
}

extension Command {
    static var options: Set<String> { [] }
    static var flags: Set<String> { [] }
}

/// The command line makes no sense.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
